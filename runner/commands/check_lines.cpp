#include "runner/commands/check_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace gemmlab::runner {
namespace {

constexpr double kTimeout_s = 60;

void take_in(Tally& tally, const Point& point, const Json& record) {
  const std::string status = record.at("status");
  for (const Json& check : record.at("verify")) {
    if (check.at("method") == "bound" && check.at("eta_max").is_number()) {
      tally.eta_max = std::max(tally.eta_max, check.at("eta_max").get<double>());
    }
  }
  if (status == to_string(Status::kOk)) {
    ++tally.ok;
  } else if (status == to_string(Status::kUnsupported)) {
    ++tally.refused;
    if (tally.why_refused.empty() && record.at("reason").is_string()) tally.why_refused = record.at("reason");
  } else {
    const std::string reason = record.at("reason").is_string() ? record.at("reason").get<std::string>() : "";
    const std::string failure = fmt::format("{} at {}: {}", status, to_string(point.instance), reason);
    const bool costly = status == to_string(Status::kCrashed) || status == to_string(Status::kTimeout);
    if (costly) {
      tally.given_up = failure;
    } else {
      tally.failures.push_back(failure);
    }
  }
}

std::string parameters_text(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters)
    text += (text.empty() ? "" : ", ") + name + " " + to_string(value);
  return text;
}

}  // namespace

std::vector<Line> lines_of(const Implementation& implementation, const std::vector<Parameters>& choices) {
  std::vector<Line> lines;
  const Description& description = implementation.description();
  for (const Parameters& parameters : choices) {
    Line line;
    line.operation = find_operation(description.operation);
    line.implementation = &implementation;
    line.point.implementation = description.id;
    static_cast<Identity&>(line.point) = identity_of(description, parameters);
    line.point.parameters = parameters;
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<Instance> odd_instances(const Operation& operation) {
  std::vector<Instance> all;
  std::vector<Options> given{{}};
  for (Options& options : operation.odd_options()) given.push_back(std::move(options));
  for (const Options& options : given) {
    for (const std::vector<std::int64_t>& dims : operation.odd_dimensions())
      all.push_back(instance_of(operation, dims, options));
  }
  return all;
}

bool tries(const Line& line, const Instance& instance) {
  return line.operation == instance.operation &&
         (instance.given_options().empty() ||
          line.implementation->why_not(instance, line.point.parameters).empty());
}

void check_instance(Supervisor& supervisor, const Instance& instance, const std::vector<Line*>& lines) {
  Group group{"check", instance, {}, {}};
  group.settings.verify_only = true;
  group.settings.timeout_s = kTimeout_s;
  group.settings.max_time_s = kTimeout_s;
  std::map<std::string, Line*> by_case;
  for (Line* line : lines) {
    if (!line->tally.given_up.empty() || !tries(*line, instance)) continue;
    ++line->tally.tried;
    line->point.instance = instance;
    line->point.precision = line->implementation->precision(instance);
    line->point.cold = false;
    group.points.push_back(line->point);
    by_case[line->point.case_id()] = line;
  }
  if (group.points.empty()) return;
  supervisor.measure(
      {"check", "check", &group, group.points, {}, {}},
      [&](const Point& point, const Json& record) {
        take_in(by_case.at(point.case_id())->tally, point, record);
      },
      [](const Point*, const char*) {});
}

namespace {

/// Prints the first failures of a line, and what ended its checks however many failed before.
void print_failures(const Tally& tally) {
  const std::size_t shown = std::min(tally.failures.size(), kMostFailures);
  for (std::size_t i = 0; i < shown; ++i) fmt::print("    {}\n", tally.failures[i]);
  if (shown < tally.failures.size()) fmt::print("    ... and {} more\n", tally.failures.size() - shown);
  if (!tally.given_up.empty()) fmt::print("    {}\n    not tried at the other shapes\n", tally.given_up);
}

}  // namespace

bool print_verdicts(const std::vector<Line>& lines) {
  std::size_t width = std::strlen("parameters");
  for (const Line& line : lines) width = std::max(width, parameters_text(line.point.parameters).size());
  fmt::print("{:<24} {:<{}} {:>10} {:>8}  {}\n", "implementation", "parameters", width, "shapes ok",
             "max eta", "verdict");
  bool good = true;
  for (const Line& line : lines) {
    const Tally& tally = line.tally;
    const bool line_good = tally.failures.empty() && tally.given_up.empty();
    good = good && line_good;
    // a row that takes no odd shape has not been found right
    const bool checked = tally.ok > 0 || tally.why_refused.empty();
    const std::string good_word = checked ? "ok" : "not checked: " + tally.why_refused;
    fmt::print("{:<24} {:<{}} {:>5}/{:<4} {:>8.2f}  {}\n", line.point.implementation,
               parameters_text(line.point.parameters), width, tally.ok, tally.tried - tally.refused,
               tally.eta_max, line_good ? good_word : "FAILED");
    print_failures(tally);
  }
  return good;
}

}  // namespace gemmlab::runner
