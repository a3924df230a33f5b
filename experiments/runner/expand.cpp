#include "experiments/runner/expand.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "experiments/runner/axes.h"
#include "experiments/runner/message_text.h"

namespace gemmlab::runner {
namespace {

constexpr std::size_t kMostPoints = 1000000;

[[noreturn]] void refuse_size(const TomlReader& where) {
  where.fail(fmt::format("the sweep has over {} points", kMostPoints));
}

std::vector<Shape> shapes_of(const TomlReader& group) {
  const auto axis = [&](const char* key) { return integer_axis(group, key, 1, kMostDimension); };
  std::vector<Shape> shapes;
  if (group.has("size")) {
    if (group.has("m") || group.has("n") || group.has("k") || group.has("combine")) {
      group.fail(group.node("size"), "'size' stands for m, n and k: give it or them, not both");
    }
    for (std::int64_t size : axis("size")) shapes.push_back({size, size, size});
    return shapes;
  }
  if (group.text_or("combine", "cross") == "zip") {
    const auto list = [&](const char* key) { return integer_list(group, key, 1, kMostDimension); };
    const auto m = list("m");
    const auto n = list("n");
    const auto k = list("k");
    if (m.size() != n.size() || n.size() != k.size()) {
      group.fail(fmt::format("combine = \"zip\" needs as many values for m ({}), n ({}) and k ({})", m.size(),
                             n.size(), k.size()));
    }
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> seen;
    for (std::size_t i = 0; i < m.size(); ++i) {
      if (seen.emplace(m[i], n[i], k[i]).second) shapes.push_back({m[i], n[i], k[i]});
    }
    return shapes;
  }
  const auto m = axis("m");
  const auto n = axis("n");
  const auto k = axis("k");
  if (static_cast<double>(m.size()) * static_cast<double>(n.size()) * static_cast<double>(k.size()) >
      kMostPoints)
    refuse_size(group);
  for (std::int64_t rows : m) {
    for (std::int64_t cols : n) {
      for (std::int64_t inner : k) shapes.push_back({rows, cols, inner});
    }
  }
  return shapes;
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

/// Every combination of the parameter axes that the run names, at most kMostPoints; `swept` gets those with
/// more than one value.
std::vector<Parameters> combinations(const TomlReader& run, const Description& description,
                                     std::set<std::string>& swept) {
  std::vector<Parameters> all{complete(description, {})};
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

/// The lines as points of their group that lack a shape only. The same under the same label is there once;
/// under another label it is a replica, measured by itself.
std::vector<Point> distinct(std::vector<Point> lines, const std::string& group,
                            const GroupDefaults& settings) {
  std::map<std::string, std::set<std::string>> labels_of;
  std::vector<Point> kept;
  for (Point& line : lines) {
    line.group = group;
    line.cold = settings.cold;
    line.distribution = settings.distribution;
    line.seed = settings.seed;
    auto& labels = labels_of[line.canonical().dump()];
    if (!labels.insert(line.label).second) continue;
    line.replica = static_cast<int>(labels.size()) - 1;
    kept.push_back(std::move(line));
  }
  return kept;
}

}  // namespace

/// The lines of a [[group.run]], each a point that lacks its shape: implementation, parameters, label, scope.
std::vector<Point> Expander::lines_of(const TomlReader& run, const GroupDefaults& settings) {
  const std::string pattern = run.text("implementation");
  const auto matching = catalogue_.matching(pattern);
  if (matching.empty()) {
    if (missing_in_this_build(pattern)) {
      definition_.left_out.push_back({pattern, "this program was built without CUDA"});
      return {};
    }
    run.fail(run.node("implementation"), catalogue_.unknown(pattern) + ", cpu.*, gpu.*");
  }
  std::vector<std::string> allowed = parameter_names(matching);
  allowed.insert(allowed.begin(), {"implementation", "label", "handicap"});
  allowed.insert(allowed.end(), scope_keys().begin(), scope_keys().end());
  run.only(allowed, places_of_keys());
  const GroupDefaults regime = read_scope(run, settings);
  const double handicap = run.number_or("handicap", 0, 0, 0.5);
  if (handicap > 0 && regime.scope == Scope::kFirstCall) {
    run.fail(run.node("handicap"),
             "'handicap' slows every call, and scope = \"first-call\" has one: leave it out");
  }
  std::vector<Point> lines;
  for (const Implementation* implementation : matching) {
    const Description& description = implementation->description();
    std::set<std::string> swept;
    for (const Parameters& parameters : combinations(run, description, swept)) {
      Point line;
      line.implementation = description.id;
      line.parameters = parameters;
      line.label = label_of(run, description, parameters, swept);
      line.scope = regime.scope;
      line.host_memory = regime.host_memory;
      line.allocation = regime.allocation;
      line.module_loading = regime.module_loading;
      line.handicap = handicap;
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::vector<Point> Expander::distinct_lines(const TomlReader& group, const std::string& name,
                                            const GroupDefaults& settings) {
  const auto runs = group.tables("run", "group.run");
  if (runs.empty())
    group.fail("an empty sweep: at least one [[group.run]] with an implementation is expected");
  std::vector<Point> written;
  for (const TomlReader& run : runs) {
    for (Point& line : lines_of(run, settings)) {
      if (labels_.insert(line.label).second) definition_.lines.push_back(line.label);
      written.push_back(std::move(line));
    }
    if (written.size() > kMostPoints) refuse_size(run);
  }
  return distinct(std::move(written), name, settings);
}

void Expander::add_shape(const std::string& name, const Shape& shape, const GroupDefaults& settings,
                         const std::vector<Point>& lines, const std::vector<Exclusion>& exclusions) {
  Group at_shape{name, shape, settings.measure, {}};
  for (Point point : lines) {
    point.shape = shape;
    const auto exclusion = std::find_if(exclusions.begin(), exclusions.end(),
                                        [&](const Exclusion& one) { return one.covers(point); });
    if (exclusion != exclusions.end()) {
      definition_.excluded.push_back({name, std::move(point), exclusion->reason()});
    } else {
      at_shape.points.push_back(std::move(point));
    }
  }
  if (!at_shape.points.empty()) definition_.groups.push_back(std::move(at_shape));
}

void Expander::add(const TomlReader& group, const GroupDefaults& defaults) {
  std::vector<std::string> allowed{"name", "size", "m", "n", "k", "combine", "run", "exclude"};
  allowed.insert(allowed.end(), group_setting_keys().begin(), group_setting_keys().end());
  group.only(allowed, places_of_keys());
  group.one_of("combine", 0, {"cross", "zip"}, [](const std::string&) { return 0; });
  const GroupDefaults settings = read_settings(group, defaults);
  const std::string name = group.text("name");
  const std::vector<Point> lines = distinct_lines(group, name, settings);
  std::vector<Exclusion> exclusions;
  for (const TomlReader& exclusion : group.tables("exclude", "group.exclude"))
    exclusions.emplace_back(exclusion, catalogue_);
  const std::vector<Shape> shapes = shapes_of(group);
  if (!lines.empty() && shapes.size() > (kMostPoints - points_) / lines.size()) refuse_size(group);
  points_ += shapes.size() * lines.size();
  for (const Shape& shape : shapes) add_shape(name, shape, settings, lines, exclusions);
}

}  // namespace gemmlab::runner
