#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "core/machine.h"
#include "experiments/runner/commands.h"
#include "experiments/runner/message_text.h"
#include "experiments/runner/supervisor.h"
#include "experiments/runner/usage_error.h"

namespace gemmlab::runner {
namespace {

constexpr double kTimeout_s = 60;
constexpr std::size_t kMostFailures = 5;  ///< printed per implementation

struct Tally {
  int ok = 0;
  int refused = 0;
  double eta_max = 0;
  std::vector<std::string> failures;
  std::string given_up;  ///< how it crashed or hung: each further shape would cost as much again
};

struct Line {
  const Operation* operation = nullptr;
  Point point;
  Tally tally;
};

/// What the command line asks for.
struct Chosen {
  std::vector<const Implementation*> implementations;
  std::vector<std::string> missing;  ///< patterns of what this build lacks
};

Chosen chosen_by(const Catalogue& catalogue, const std::vector<std::string>& patterns) {
  if (patterns.empty()) return {catalogue.all(), {}};
  Chosen chosen;
  for (const std::string& pattern : patterns) {
    if (missing_in_this_build(pattern)) {
      chosen.missing.push_back(pattern);
      continue;
    }
    const auto matching = catalogue.matching(pattern);
    if (matching.empty()) throw UsageError(one_line(catalogue.unknown(pattern) + ", cpu.*, gpu.*"));
    for (const Implementation* implementation : matching) {
      auto& all = chosen.implementations;
      if (std::find(all.begin(), all.end(), implementation) == all.end()) all.push_back(implementation);
    }
  }
  return chosen;
}

std::vector<Line> lines_for(const std::vector<const Implementation*>& chosen, const Json& unavailable) {
  std::vector<Line> lines;
  for (const Implementation* implementation : chosen) {
    const Description& description = implementation->description();
    if (unavailable.contains(description.id)) continue;
    for (const Parameters& parameters : all_choices(description)) {
      Line line;
      line.operation = find_operation(description.operation);
      line.point.implementation = description.id;
      static_cast<Identity&>(line.point) = identity_of(description);
      line.point.parameters = parameters;
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

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

/// Checks every line of the instance's operation on the instance and adds the result to the line's tally.
void check_instance(Supervisor& supervisor, const Instance& instance, std::vector<Line>& lines) {
  Group group{"check", instance, {}, {}};
  group.settings.verify_only = true;
  group.settings.timeout_s = kTimeout_s;
  std::map<std::string, Line*> by_case;
  for (Line& line : lines) {
    if (!line.tally.given_up.empty() || line.operation != instance.operation) continue;
    line.point.instance = instance;
    line.point.cold = false;
    group.points.push_back(line.point);
    by_case[line.point.case_id()] = &line;
  }
  if (group.points.empty()) return;
  supervisor.measure(
      {"check", "check", &group, group.points, {}, {}},
      [&](const Point& point, const Json& record) {
        take_in(by_case.at(point.case_id())->tally, point, record);
      },
      [](const Point*, const char*) {});
}

/// Prints the first failures of a line, and what ended its checks however many failed before.
void print_failures(const Tally& tally) {
  const std::size_t shown = std::min(tally.failures.size(), kMostFailures);
  for (std::size_t i = 0; i < shown; ++i) fmt::print("    {}\n", tally.failures[i]);
  if (shown < tally.failures.size()) fmt::print("    ... and {} more\n", tally.failures.size() - shown);
  if (!tally.given_up.empty()) fmt::print("    {}\n    not tried at the other shapes\n", tally.given_up);
}

/// Prints the verdicts. Returns whether all of them are good.
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
    fmt::print("{:<24} {:<{}} {:>5}/{:<4} {:>8.2f}  {}\n", line.point.implementation,
               parameters_text(line.point.parameters), width, tally.ok,
               line.operation->odd_dimensions().size() - static_cast<std::size_t>(tally.refused),
               tally.eta_max, line_good ? "ok" : "FAILED");
    print_failures(tally);
  }
  return good;
}

}  // namespace

int command_check(const Catalogue& catalogue, const std::vector<std::string>& patterns) {
  catch_interrupts();
  const Chosen chosen = chosen_by(catalogue, patterns);
  Supervisor supervisor;
  const Json unavailable =
      chosen.implementations.empty() ? Json::object() : supervisor.facts().at("unavailable");
  std::vector<Line> lines = lines_for(chosen.implementations, unavailable);
  for (const Operation* operation : operations()) {
    for (const std::vector<std::int64_t>& dims : operation->odd_dimensions())
      check_instance(supervisor, instance_of(*operation, dims), lines);
  }
  const bool good = lines.empty() || print_verdicts(lines);
  for (const Implementation* one : chosen.implementations) {
    const std::string& id = one->description().id;
    if (unavailable.contains(id))
      fmt::print("{:<24} not checked: it is not available here: {}\n", id,
                 unavailable.at(id).get<std::string>());
  }
  for (const std::string& pattern : chosen.missing)
    fmt::print("{:<24} not checked: this program was built without CUDA\n", pattern);
  const bool all_checked = std::all_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    const auto matching = catalogue.matching(pattern);
    return std::any_of(matching.begin(), matching.end(), [&](const Implementation* one) {
      return !unavailable.contains(one->description().id);
    });
  });
  if (!good) return kExitWrong;
  return all_checked ? kExitDone : kExitUsage;
}

}  // namespace gemmlab::runner
