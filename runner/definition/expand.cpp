#include "runner/definition/expand.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/records/attributes.h"
#include "runner/definition/axes.h"
#include "runner/definition/instances.h"
#include "runner/definition/labels.h"
#include "runner/definition/named_implementations.h"
#include "runner/message_text.h"
#include "runner/name_suggestion.h"

namespace gemmlab::runner {
namespace {

constexpr std::size_t kMostPoints = 1000000;

[[noreturn]] void refuse_size(const TomlReader& where) {
  refuse_sweep(where, kMostPoints);
}

/// Refuses what cannot be asked for together.
void refuse_regime(const TomlReader& run, const Point& line) {
  if (line.handicap > 0 && line.scope == Scope::kFirstCall) {
    run.fail(run.node("handicap"),
             "'handicap' slows every call, and scope = \"first-call\" has one: leave it out");
  }
  const bool in_a_row = line.scope == Scope::kKernel || line.scope == Scope::kCall;
  if (line.load == Load::kSustained && !in_a_row) {
    const std::string key = run.has("load") || !run.has("scope") ? "load" : "scope";
    const std::string message = fmt::format(
        "load = \"sustained\" repeats kernels or calls without a pause, and scope is \"{}\"; "
        "allowed with it: scope = \"kernel\" or \"call\"",
        to_string(line.scope));
    if (run.has(key)) run.fail(run.node(key), message);
    run.fail(message);
  }
}

/// The line with every combination of the parameters that the run names; at most kMostPoints.
std::vector<VariedPoint> combinations(const TomlReader& run, const Description& description,
                                      const VariedPoint& line) {
  std::vector<VariedPoint> all{line};
  for (const ParameterSpec& spec : description.parameters) {
    if (!run.has(spec.name)) continue;
    const std::vector<SweptValue> values = parameter_axis(run, description, spec);
    if (all.size() > kMostPoints / values.size()) refuse_size(run);
    std::vector<VariedPoint> next;
    for (const VariedPoint& start : all) {
      for (const SweptValue& swept : values) {
        next.push_back(start);
        next.back().point.parameters[spec.name] = swept.value;
        if (!swept.told.empty()) next.back().varied.push_back({spec.name, swept.told});
      }
    }
    all = std::move(next);
  }
  return all;
}

/// What the run measures of one implementation, each with its label. `others` are the parameters of a name
/// that stands for more than an id.
std::vector<Point> lines_of_one(const TomlReader& run, const GroupDefaults& settings,
                                const Description& description, const Parameters& others) {
  VariedPoint start;
  static_cast<Regime&>(start.point) = settings;
  start.point.implementation = description.id;
  start.point.device = description.device;
  start.point.parameters = complete(description, others);
  start.point.handicap = run.number_or("handicap", 0, 0, 0.5);
  for (const auto& [name, value] : others) {
    if (!run.has(name))
      start.varied.push_back({name, told_value(name, value)});  // it is why it is "kernel 3"
  }
  const std::vector<VariedPoint> regimes = read_run(run, start.point);
  for (const VariedPoint& regime : regimes) refuse_regime(run, regime.point);
  std::vector<VariedPoint> combined = combinations(run, description, start);
  if (combined.size() > kMostPoints / regimes.size()) refuse_size(run);
  std::vector<Point> lines;
  for (VariedPoint& one : combined) {
    std::sort(one.varied.begin(), one.varied.end(),
              [](const Varied& a, const Varied& b) { return a.key < b.key; });
    static_cast<Identity&>(one.point) = identity_of(description, one.point.parameters);
    for (const VariedPoint& regime : regimes) {
      VariedPoint line = one;
      static_cast<Regime&>(line.point) = regime.point;
      line.varied.insert(line.varied.end(), regime.varied.begin(), regime.varied.end());
      line.point.label = label_of(run, description, line);
      lines.push_back(std::move(line.point));
    }
  }
  return lines;
}

/// What a line is besides its parameters: "gpu.tiled, scope call".
std::string told_regime(const Point& line) {
  std::string told = line.implementation;
  for (const Attribute& attribute : attributes()) {
    if (attribute.place == Place::kRun && attribute.concerns(line))
      told += fmt::format(", {} {}", attribute.name, attribute.get(line).get<std::string>());
  }
  return told;
}

/// Refuses a label that two implementations or two regimes of a run would share. Lines that differ in a
/// parameter may: a table or figure over that parameter needs one name for all.
void refuse_shared_labels(const TomlReader& run, const std::vector<Point>& lines) {
  std::map<std::string, const Point*> first_of;
  for (const Point& line : lines) {
    const Point& first = *first_of.emplace(line.label, &line).first->second;
    if (&first == &line || told_regime(first) == told_regime(line)) continue;
    run.fail(run.has("label") ? run.node("label") : run.table(),
             fmt::format("'{}' would be the label of both {} and {}; {{name}}, {{method}} or {{varied}} in a "
                         "label tells them apart",
                         clipped(line.label), told_regime(first), told_regime(line)));
  }
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
                                      const Operation& operation, const std::vector<Instance>& instances) {
  std::vector<std::string> missing;
  const auto all = meant_by(named_in(run, definition_.notes), run, catalogue_, operation, instances, missing);
  for (const std::string& pattern : missing)
    definition_.left_out.push_back({pattern, "this program was built without CUDA"});
  if (missing.empty()) {  // else a key may be a parameter of what is missing
    std::vector<const Implementation*> implementations;
    for (const Meant& meant : all) implementations.push_back(meant.implementation);
    std::vector<std::string> allowed = parameter_names(implementations);
    allowed.insert(allowed.begin(), {"implementation", "label", "handicap"});
    allowed.insert(allowed.end(), run_keys().begin(), run_keys().end());
    run.only(allowed, places_of_keys());
  }
  std::vector<Point> lines;
  for (const Meant& meant : all) {
    for (Point& line : lines_of_one(run, settings, meant.implementation->description(), meant.parameters))
      lines.push_back(std::move(line));
    if (lines.size() > kMostPoints) refuse_size(run);
  }
  refuse_shared_labels(run, lines);
  return lines;
}

std::vector<Point> Expander::distinct_lines(const TomlReader& group, const std::string& name,
                                            const GroupDefaults& settings, const Operation& operation,
                                            const std::vector<Instance>& instances) {
  const auto runs = group.tables("run", "group.run");
  if (runs.empty())
    group.fail("an empty sweep: at least one [[group.run]] with an implementation is expected");
  std::vector<Point> written;
  for (const TomlReader& run : runs) {
    for (Point& line : lines_of(run, settings, operation, instances)) {
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
    if (const Implementation* known = catalogue_.find(point.implementation))
      point.precision = known->precision(instance);
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
  const std::vector<Instance> instances = instances_of(group, operation, kMostPoints);
  const std::vector<Point> lines = distinct_lines(group, name, settings, operation, instances);
  std::vector<Exclusion> exclusions;
  for (const TomlReader& exclusion : group.tables("exclude", "group.exclude"))
    exclusions.emplace_back(exclusion, catalogue_, operation, instances, definition_.notes);
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
