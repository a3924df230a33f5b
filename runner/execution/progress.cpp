#include "runner/execution/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "runner/execution/channel.h"
#include "runner/standard_output.h"

namespace gemmlab::runner {
namespace {

double steady_s() {
  return static_cast<double>(steady_ns()) * 1e-9;
}

/// "6 min", "40 s": no more than an estimate is worth.
std::string rough_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", std::ceil(seconds / 5) * 5);
  if (seconds < 2 * 3600) return fmt::format("{:.0f} min", seconds / 60);
  return duration_text(seconds);
}

/// "54,158", "87.3".
std::string rate_text(double rate) {
  if (rate < 1000) return fmt::format("{:.1f}", rate);
  std::string digits = fmt::format("{:.0f}", rate);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

/// " ±0.1 %"; empty where there is no interval.
std::string interval_text(const Json& record) {
  if (!record.at("ci95_s").is_array()) return "";
  const double low = record.at("ci95_s").at(0);
  const double high = record.at("ci95_s").at(1);
  const double percent = 100 * (high - low) / 2 / record.at("median_s").get<double>();
  return fmt::format(" ±{:.{}f} %", percent, percent < 0.1 ? 2 : 1);
}

/// The text, cut to so many letters; those of UTF-8 are up to four bytes.
std::string cut(const std::string& text, std::size_t letters) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
    if (begins && letters-- == 0) break;
  }
  return text.substr(0, end);
}

/// May a line give way to the next? Plain lines where TERM or NO_COLOR ask for them.
bool redraws() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string terminal = variable("TERM");
  return ::isatty(STDOUT_FILENO) != 0 && !terminal.empty() && terminal != "dumb" &&
         variable("NO_COLOR").empty();
}

std::size_t columns() {
  winsize window{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
}

bool worth_a_line(const std::string& status) {
  for (Status quiet : {Status::kOk, Status::kSkipped, Status::kUnsupported}) {
    if (status == to_string(quiet)) return false;
  }
  return true;
}

}  // namespace

std::string name_of(const Point& point) {
  return fmt::format("{}.{}", point.device.name, point.label);
}

std::string duration_text(double seconds) {
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  if (whole >= 2 * 3600) return fmt::format("{} h {:02d} min", whole / 3600, whole / 60 % 60);
  return fmt::format("{} min {:02d} s", whole / 60, whole % 60);
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.4g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.4g} ms", seconds * 1e3);
  return fmt::format("{:.4g} s", seconds);
}

Progress::Progress(std::size_t points, double estimated_s, bool verbose, double plain_each_s)
    : terminal_(redraws()),
      verbose_(verbose),
      plain_each_s_(plain_each_s),
      total_(points),
      time_left_(estimated_s),
      began_s_(steady_s()),
      told_s_(began_s_) {}

void Progress::begin_group(double expected_s) {
  time_left_.begin(expected_s, steady_s());
}

void Progress::end_group() {
  time_left_.end(steady_s());
}

void Progress::begin_experiment(const std::string& title, std::size_t points) {
  note(fmt::format("\n{} ({} point{})", title, points, points == 1 ? "" : "s"));
}

void Progress::clear() {
  if (drawn_) std::fputs("\r\033[K", stdout);
  drawn_ = false;
}

void Progress::note(const std::string& line) {
  clear();
  print_now(line + '\n');
}

void Progress::finished(const Point& point, const Json& record) {
  ++done_;
  const std::string status = record.at("status");
  ++by_status_[status];
  std::string result = record.at("reason").is_string() ? record.at("reason").get<std::string>() : "";
  if (status == to_string(Status::kOk)) {
    const Rate first = point.instance.operation->rates(point.instance).at(0);
    const double rate = record.at("rates").at(first.name);
    const std::string interval = interval_text(record);
    last_ = fmt::format("{} {}: {} {}{}", name_of(point), to_string(point.instance), rate_text(rate),
                        first.unit, interval);
    result =
        fmt::format("{:>10}  {:>9.1f} {} {}", time_text(record.at("median_s")), rate, first.unit, interval);
  }
  if (verbose_ || worth_a_line(status)) line(point, status, result);
}

void Progress::skipped(const Point& point, const std::string& reason) {
  if (verbose_) line(point, to_string(Status::kSkipped), reason);
}

void Progress::line(const Point& point, const std::string& status, const std::string& result) {
  note(fmt::format("  {:<11} {:<34} {:<10} {}", status, name_of(point), to_string(point.instance), result));
}

/// "128 of 620 points, about 6 min left; last: gpu.pipelined 4096: 54,158 GFLOP/s ±0.1 %".
std::string Progress::state() const {
  return fmt::format("{} of {} points, about {} left{}", done_, total_,
                     rough_text(time_left_.left_s(steady_s())), last_.empty() ? "" : "; last: " + last_);
}

void Progress::tick(const Point* point, const char* phase) {
  if (terminal_) {
    const std::string at_work =
        point == nullptr ? phase
                         : fmt::format("{} {} ({})", name_of(*point), to_string(point->instance), phase);
    return draw(state() + "; now: " + at_work);
  }
  if (steady_s() - told_s_ < plain_each_s_) return;
  told_s_ = steady_s();
  note(state());
}

void Progress::draw(std::string line) {
  clear();
  print_now(cut(line, columns() - 1));
  drawn_ = true;
}

void Progress::end() {
  std::string ends;
  for (const auto& [status, count] : by_status_)
    ends += fmt::format("{}{} {}", ends.empty() ? "" : ", ", count, status);
  note(fmt::format("{} point{} in {}: {}", done_, done_ == 1 ? "" : "s", duration_text(steady_s() - began_s_),
                   ends));
}

}  // namespace gemmlab::runner
