#include "experiments/runner/expand.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "experiments/runner/axes.h"
#include "experiments/runner/guess.h"
#include "experiments/runner/instances.h"
#include "experiments/runner/message_text.h"
#include "experiments/runner/named.h"

namespace gemmlab::runner {
namespace {

constexpr std::size_t kMostPoints = 1000000;

[[noreturn]] void refuse_size(const TomlReader& where) {
  refuse_sweep(where, kMostPoints);
}

/// "tiled {block}" with the point's parameters put in; without a pattern the method and each swept
/// parameter's value: "tiled, block 4".
std::string label_of(const TomlReader& run, const Description& description, const Parameters& parameters,
                     const std::set<std::string>& swept) {
  std::string label = run.has("label") ? run.line("label") : "";
  if (label.empty()) {
    label = description.id.substr(description.id.find('.') + 1);
    for (const auto& [name, value] : parameters) {
      if (swept.count(name) == 0) continue;
      const std::string shown_value = to_string(value);
      label += ", " + (name != "threads" ? name + " " + shown_value
                                         : shown_value + (shown_value == "1" ? " thread" : " threads"));
    }
    return label;
  }
  for (const auto& [name, value] : parameters) {
    const std::string slot = "{" + name + "}";
    for (std::size_t at = label.find(slot); at != std::string::npos; at = label.find(slot)) {
      label.replace(at, slot.size(), to_string(value));
    }
  }
  if (label.find('{') != std::string::npos) {
    run.fail(run.node("label"), fmt::format("'label' is '{}'; in braces only parameters of {} may stand",
                                            clipped(label), description.id));
  }
  return label;
}

/// Every combination of the parameter axes that the run names, at most kMostPoints, with `others` as they
/// are; `swept` gets those with more than one value.
std::vector<Parameters> combinations(const TomlReader& run, const Description& description,
                                     const Parameters& others, std::set<std::string>& swept) {
  std::vector<Parameters> all{complete(description, others)};
  for (const ParameterSpec& spec : description.parameters) {
    if (!run.has(spec.name)) continue;
    const std::vector<ParameterValue> values = parameter_axis(run, description, spec);
    if (values.size() > 1) swept.insert(spec.name);
    if (all.size() > kMostPoints / values.size()) refuse_size(run);
    std::vector<Parameters> next;
    for (const Parameters& start : all) {
      for (const ParameterValue& value : values) {
        next.push_back(start);
        next.back()[spec.name] = value;
      }
    }
    all = std::move(next);
  }
  return all;
}

/// The lines as points of their group that still lack an instance. The same point under the same label
/// appears once; under another label it is a replica, measured separately.
std::vector<Point> distinct(std::vector<Point> lines, const std::string& group) {
  std::map<std::string, std::set<std::string>> labels_of;
  std::vector<Point> kept;
  for (Point& line : lines) {
    line.group = group;
    auto& labels = labels_of[line.canonical().dump()];
    if (!labels.insert(line.label).second) continue;
    line.replica = static_cast<int>(labels.size()) - 1;
    kept.push_back(std::move(line));
  }
  return kept;
}

}  // namespace

/// The lines of a [[group.run]], each a point without its instance: implementation, parameters, label,
/// regime.
std::vector<Point> Expander::lines_of(const TomlReader& run, const GroupDefaults& settings,
                                      const Operation& operation) {
  const auto [pattern, others] = named_in(run, definition_.notes);
  const auto matching = catalogue_.matching(pattern, operation.name());
  if (matching.empty()) {
    if (missing_in_this_build(pattern, operation.name())) {
      definition_.left_out.push_back({pattern, "this program was built without CUDA"});
      return {};
    }
    run.fail(run.node("implementation"), catalogue_.unknown(pattern, operation.name()) + ", cpu.*, gpu.*");
  }
  std::vector<std::string> allowed = parameter_names(matching);
  allowed.insert(allowed.begin(), {"implementation", "label", "handicap"});
  allowed.insert(allowed.end(), run_keys().begin(), run_keys().end());
  run.only(allowed, places_of_keys());
  const GroupDefaults regime = read_run(run, settings);
  const double handicap = run.number_or("handicap", 0, 0, 0.5);
  if (handicap > 0 && regime.scope == Scope::kFirstCall) {
    run.fail(run.node("handicap"),
             "'handicap' slows every call, and scope = \"first-call\" has one: leave it out");
  }
  const bool in_a_row = regime.scope == Scope::kKernel || regime.scope == Scope::kCall;
  if (regime.load == Load::kSustained && !in_a_row) {
    const std::string key = run.has("load") || !run.has("scope") ? "load" : "scope";
    const std::string message = fmt::format(
        "load = \"sustained\" repeats kernels or calls without a pause, and scope is \"{}\"; "
        "allowed with it: scope = \"kernel\" or \"call\"",
        to_string(regime.scope));
    if (run.has(key)) run.fail(run.node(key), message);
    run.fail(message);
  }
  std::vector<Point> lines;
  for (const Implementation* implementation : matching) {
    const Description& description = implementation->description();
    std::set<std::string> swept;
    for (const auto& [name, value] : others)
      if (!run.has(name)) swept.insert(name);  // in the label: block 32 is why it is "kernel 3"
    for (const Parameters& parameters : combinations(run, description, others, swept)) {
      Point line{};
      static_cast<Regime&>(line) = regime;
      line.implementation = description.id;
      static_cast<Identity&>(line) = identity_of(description, parameters);
      line.parameters = parameters;
      line.label = label_of(run, description, parameters, swept);
      line.handicap = handicap;
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::vector<Point> Expander::distinct_lines(const TomlReader& group, const std::string& name,
                                            const GroupDefaults& settings, const Operation& operation) {
  const auto runs = group.tables("run", "group.run");
  if (runs.empty())
    group.fail("an empty sweep: at least one [[group.run]] with an implementation is expected");
  std::vector<Point> written;
  for (const TomlReader& run : runs) {
    for (Point& line : lines_of(run, settings, operation)) {
      if (labels_.insert(line.label).second) definition_.lines.push_back(line.label);
      written.push_back(std::move(line));
    }
    if (written.size() > kMostPoints) refuse_size(run);
  }
  return distinct(std::move(written), name);
}

void Expander::add_instance(const std::string& name, const Instance& instance, const GroupDefaults& settings,
                            const std::vector<Point>& lines, const std::vector<Exclusion>& exclusions) {
  Group compared{name, instance, settings.measure, {}};
  for (Point point : lines) {
    point.instance = instance;
    const auto exclusion = std::find_if(exclusions.begin(), exclusions.end(),
                                        [&](const Exclusion& one) { return one.covers(point); });
    if (exclusion != exclusions.end()) {
      definition_.excluded.push_back({name, std::move(point), exclusion->reason()});
    } else {
      compared.points.push_back(std::move(point));
    }
  }
  if (!compared.points.empty()) definition_.groups.push_back(std::move(compared));
}

const Operation& Expander::operation_of(const TomlReader& group, const GroupDefaults& defaults) {
  const std::string name = group.text_or("operation", defaults.operation);
  if (const Operation* operation = find_operation(name)) {
    auto& known = definition_.operations;
    if (std::find(known.begin(), known.end(), operation) == known.end()) known.push_back(operation);
    return *operation;
  }
  std::vector<std::string> names;
  for (const Operation* operation : operations()) names.push_back(operation->name());
  const std::string message = fmt::format("unknown operation '{}'{}; allowed: {}", clipped(name),
                                          guess(name, names), fmt::join(names, ", "));
  if (group.has("operation")) group.fail(group.node("operation"), message);
  group.fail(message);
}

void Expander::add(const TomlReader& group, const GroupDefaults& defaults) {
  const Operation& operation = operation_of(group, defaults);
  std::vector<std::string> allowed = instance_keys(operation);
  allowed.insert(allowed.begin(), {"name", "operation", "run", "exclude"});
  allowed.insert(allowed.end(), group_setting_keys().begin(), group_setting_keys().end());
  group.only(allowed, places_of_keys());
  const GroupDefaults settings = read_settings(group, defaults);
  const std::string name = group.text("name");
  const std::vector<Point> lines = distinct_lines(group, name, settings, operation);
  std::vector<Exclusion> exclusions;
  for (const TomlReader& exclusion : group.tables("exclude", "group.exclude"))
    exclusions.emplace_back(exclusion, catalogue_, operation, definition_.notes);
  const std::vector<Instance> instances = instances_of(group, operation, kMostPoints);
  const auto slowed =
      std::find_if(lines.begin(), lines.end(), [](const Point& line) { return line.handicap > 0; });
  if (slowed != lines.end() &&
      (instances.front().in_out() || !operation.part(instances.front(), slowed->handicap)))
    group.fail(fmt::format("'handicap' has a part of the work done twice, and {} here has none to repeat",
                           operation.name()));
  if (!lines.empty() && instances.size() > (kMostPoints - points_) / lines.size()) refuse_size(group);
  points_ += instances.size() * lines.size();
  for (const Instance& instance : instances) add_instance(name, instance, settings, lines, exclusions);
}

}  // namespace gemmlab::runner
