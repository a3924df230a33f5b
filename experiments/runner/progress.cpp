#include "experiments/runner/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "experiments/runner/channel.h"

namespace gemmlab::runner {
namespace {

double steady_s() {
  return static_cast<double>(steady_ns()) * 1e-9;
}

}  // namespace

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

std::string shape_text(const Shape& shape) {
  if (shape.m == shape.n && shape.n == shape.k) return fmt::format("{}", shape.m);
  return fmt::format("M={} N={} K={}", shape.m, shape.n, shape.k);
}

Progress::Progress(std::size_t points, double estimated_s)
    : terminal_(::isatty(STDOUT_FILENO) != 0), total_(points), time_left_(estimated_s) {}

void Progress::begin_group(double expected_s) {
  const double now_s = steady_s();
  if (first_began_s_ == 0) first_began_s_ = now_s;
  time_left_.begin(expected_s, now_s);
}

void Progress::end_group() {
  time_left_.end(steady_s());
}

void Progress::begin_experiment(const std::string& title, std::size_t points) {
  note(fmt::format("\n{} ({} point{})", title, points, points == 1 ? "" : "s"));
}

void Progress::clear_bar() {
  if (bar_drawn_) std::fputs("\r\033[K", stdout);
  bar_drawn_ = false;
}

void Progress::note(const std::string& line) {
  clear_bar();
  std::puts(line.c_str());
  std::fflush(stdout);
}

void Progress::finished(const Point& point, const Json& record) {
  ++done_;
  const std::string status = record.at("status");
  std::string result = record.at("reason").is_string() ? record.at("reason").get<std::string>() : "";
  if (status == to_string(Status::kOk)) {
    const double median_s = record.at("median_s");
    result =
        fmt::format("{:>10}  {:>9.1f} GFLOP/s", time_text(median_s), record.at("gflop_per_s").get<double>());
    if (record.at("ci95_s").is_array()) {
      const double low = record.at("ci95_s").at(0);
      const double high = record.at("ci95_s").at(1);
      result += fmt::format("  ±{:.1f} %", 100 * (high - low) / 2 / median_s);
    }
  }
  line(point, status, result);
}

void Progress::skipped(const Point& point, const std::string& reason) {
  line(point, to_string(Status::kSkipped), reason);
}

void Progress::line(const Point& point, const std::string& status, const std::string& result) {
  note(fmt::format("  {:<11} {:<34} {:<10} {}", status, point.implementation.substr(0, 4) + point.label,
                   shape_text(point.shape), result));
}

void Progress::tick(const Point* point, const char* phase) {
  if (!terminal_) return;
  draw_bar(point == nullptr ? phase
                            : fmt::format("{} {} ({})", point->label, shape_text(point->shape), phase));
}

void Progress::draw_bar(const std::string& at_work) {
  constexpr std::size_t kWidth = 24;
  const double now_s = steady_s();
  const double elapsed_s = first_began_s_ == 0 ? 0 : now_s - first_began_s_;
  const std::size_t filled = total_ == 0 ? kWidth : kWidth * done_ / total_;
  std::string line = fmt::format("[{}{}] {}/{}  {:.1f} points/s  about {} left  {}", std::string(filled, '#'),
                                 std::string(kWidth - filled, '-'), done_, total_,
                                 elapsed_s > 0 ? static_cast<double>(done_) / elapsed_s : 0.0,
                                 duration_text(time_left_.left_s(now_s)), at_work);
  winsize window{};
  const std::size_t columns =
      ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
  if (line.size() >= columns) line.resize(columns - 1);
  clear_bar();
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
  bar_drawn_ = true;
}

void Progress::end() {
  clear_bar();
  std::fflush(stdout);
}

}  // namespace gemmlab::runner
