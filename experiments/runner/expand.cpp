#include "experiments/runner/expand.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "experiments/runner/axes.h"

namespace gemmlab::runner {
namespace {

constexpr std::int64_t kMostDimension = 1 << 20;
constexpr std::size_t kMostPoints = 1000000;

template <typename T, typename From>
T one_of(const TomlReader& reader, const std::string& key, T otherwise,
         const std::vector<std::string>& allowed, From from) {
  if (!reader.has(key)) return otherwise;
  const std::string value = reader.text(key);
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
    reader.fail(reader.node(key),
                fmt::format("'{}' is '{}'; allowed: {}", key, value, fmt::join(allowed, ", ")));
  }
  return from(value);
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
  const auto m = axis("m");
  const auto n = axis("n");
  const auto k = axis("k");
  if (group.text_or("combine", "cross") == "zip") {
    if (m.size() != n.size() || n.size() != k.size()) {
      group.fail(fmt::format("combine = \"zip\" needs as many values for m ({}), n ({}) and k ({})", m.size(),
                             n.size(), k.size()));
    }
    for (std::size_t i = 0; i < m.size(); ++i) shapes.push_back({m[i], n[i], k[i]});
    return shapes;
  }
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
  std::string label = run.text_or("label", "");
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
                                            label, description.id));
  }
  return label;
}

/// Every combination of the parameter axes that the run names; `swept` gets those with more than one value.
std::vector<Parameters> combinations(const TomlReader& run, const Description& description,
                                     std::set<std::string>& swept) {
  std::vector<Parameters> all{complete(description, {})};
  for (const ParameterSpec& spec : description.parameters) {
    if (!run.has(spec.name)) continue;
    const std::vector<ParameterValue> values = parameter_axis(run, description, spec);
    if (values.size() > 1) swept.insert(spec.name);
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

std::vector<std::string> parameter_names(const std::vector<const Implementation*>& implementations) {
  std::vector<std::string> names;
  for (const Implementation* implementation : implementations) {
    for (const ParameterSpec& spec : implementation->description().parameters) names.push_back(spec.name);
  }
  return names;
}

/// A line of the ladder without its shape: implementation, parameters, label.
std::vector<Point> lines_of(const TomlReader& run, const Catalogue& catalogue, Definition& definition) {
  const std::string pattern = run.text("implementation");
  const auto matching = catalogue.matching(pattern);
  if (matching.empty()) {
    if (missing_in_this_build(pattern)) {
      definition.left_out.push_back({pattern, "this program was built without CUDA"});
      return {};
    }
    run.fail(run.node("implementation"),
             fmt::format("unknown implementation '{}'; allowed: {}, cpu.*, gpu.*", pattern, catalogue.ids()));
  }
  std::vector<std::string> allowed = parameter_names(matching);
  allowed.insert(allowed.begin(), {"implementation", "label"});
  run.only(allowed);
  std::vector<Point> lines;
  for (const Implementation* implementation : matching) {
    const Description& description = implementation->description();
    std::set<std::string> swept;
    for (const Parameters& parameters : combinations(run, description, swept)) {
      Point line;
      line.implementation = description.id;
      line.parameters = parameters;
      line.label = label_of(run, description, parameters, swept);
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

/// One [[group.exclude]]: which points, and why.
class Exclusion {
 public:
  explicit Exclusion(const TomlReader& reader, const Catalogue& catalogue) {
    pattern_ = reader.text_or("implementation", "");
    std::vector<std::string> allowed{"implementation", "reason", "flop_above", "size_above", "size_below"};
    const auto matching = catalogue.matching(pattern_);
    const auto names = parameter_names(pattern_.empty() ? catalogue.all() : matching);
    allowed.insert(allowed.end(), names.begin(), names.end());
    reader.only(allowed);
    if (!pattern_.empty() && matching.empty() && !missing_in_this_build(pattern_)) {
      reader.fail(reader.node("implementation"),
                  fmt::format("unknown implementation '{}'; allowed: {}", pattern_, catalogue.ids()));
    }
    reason_ = reader.text("reason");
    if (reader.has("flop_above")) flop_above_ = reader.number_or("flop_above", 0, 0, 1e300);
    if (reader.has("size_above")) size_above_ = reader.integer_or("size_above", 0, 1, kMostDimension);
    if (reader.has("size_below")) size_below_ = reader.integer_or("size_below", 0, 1, kMostDimension);
    for (const std::string& name : names) {
      if (!reader.has(name)) continue;
      parameters_[name] = reader.node(name).is_string()
                              ? ParameterValue(reader.text(name))
                              : ParameterValue(reader.integer_or(name, 0, 1, 1 << 20));
    }
  }

  bool covers(const Point& point) const {
    if (!pattern_.empty() && !id_matches(pattern_, point.implementation)) return false;
    for (const auto& [name, value] : parameters_) {
      const auto found = point.parameters.find(name);
      if (found == point.parameters.end() || found->second != value) return false;
    }
    if (!flop_above_ && !size_above_ && !size_below_) return true;
    const std::int64_t largest = std::max({point.shape.m, point.shape.n, point.shape.k});
    return (flop_above_ && point.shape.flop() > *flop_above_) || (size_above_ && largest > *size_above_) ||
           (size_below_ && largest < *size_below_);
  }
  const std::string& reason() const { return reason_; }

 private:
  std::string pattern_;
  std::string reason_;
  std::optional<double> flop_above_;
  std::optional<std::int64_t> size_above_;
  std::optional<std::int64_t> size_below_;
  Parameters parameters_;
};

}  // namespace

const std::vector<std::string>& group_setting_keys() {
  static const std::vector<std::string> keys{"distribution", "seed",       "scope",      "cache",
                                             "precision",    "min_time_s", "max_time_s", "timeout_s"};
  return keys;
}

GroupDefaults read_settings(const TomlReader& reader, GroupDefaults otherwise) {
  GroupDefaults settings = otherwise;
  settings.distribution = one_of(reader, "distribution", otherwise.distribution,
                                 {"uniform", "normal", "integer", "nonnegative"}, distribution_from);
  settings.seed = static_cast<std::uint64_t>(
      reader.integer_or("seed", static_cast<std::int64_t>(otherwise.seed), 0, std::int64_t{1} << 62));
  settings.scope = one_of(reader, "scope", otherwise.scope, {"kernel", "call"}, [](const std::string& word) {
    return word == "call" ? Scope::kCall : Scope::kKernel;
  });
  settings.cold = one_of(reader, "cache", otherwise.cold, {"cold", "warm"},
                         [](const std::string& word) { return word == "cold"; });
  MeasureSettings& measure = settings.measure;
  measure.precision = reader.number_or("precision", measure.precision, 1e-4, 1);
  measure.min_time_s = reader.number_or("min_time_s", measure.min_time_s, 0, 3600);
  measure.max_time_s = reader.number_or("max_time_s", measure.max_time_s, 1e-3, 86400);
  measure.timeout_s = reader.number_or("timeout_s", measure.timeout_s, 0.1, 86400);
  return settings;
}

void expand_group(const TomlReader& group, const GroupDefaults& defaults, const Catalogue& catalogue,
                  Definition& definition) {
  std::vector<std::string> allowed{"name", "size", "m", "n", "k", "combine", "run", "exclude"};
  allowed.insert(allowed.end(), group_setting_keys().begin(), group_setting_keys().end());
  group.only(allowed);
  one_of(group, "combine", 0, {"cross", "zip"}, [](const std::string&) { return 0; });
  const GroupDefaults settings = read_settings(group, defaults);
  const std::string name = group.text("name");

  const auto runs = group.tables("run", "run");
  if (runs.empty())
    group.fail("an empty sweep: at least one [[group.run]] with an implementation is expected");
  std::vector<Point> lines;
  for (const TomlReader& run : runs) {
    for (Point& line : lines_of(run, catalogue, definition)) {
      auto& labels = definition.lines;
      if (std::find(labels.begin(), labels.end(), line.label) == labels.end()) labels.push_back(line.label);
      lines.push_back(std::move(line));
    }
  }
  std::vector<Exclusion> exclusions;
  for (const TomlReader& exclusion : group.tables("exclude", "exclude"))
    exclusions.emplace_back(exclusion, catalogue);

  for (const Shape& shape : shapes_of(group)) {
    Group at_shape{name, shape, settings.measure, {}};
    std::set<std::string> seen;
    for (Point point : lines) {
      point.shape = shape;
      point.group = name;
      point.scope = settings.scope;
      point.cold = settings.cold;
      point.distribution = settings.distribution;
      point.seed = settings.seed;
      if (!seen.insert(point.canonical().dump()).second) continue;
      const auto exclusion =
          std::find_if(exclusions.begin(), exclusions.end(),
                       [&](const Exclusion& candidate) { return candidate.covers(point); });
      if (exclusion != exclusions.end()) {
        definition.excluded.push_back({name, point, exclusion->reason()});
      } else {
        at_shape.points.push_back(std::move(point));
      }
    }
    if (!at_shape.points.empty()) definition.groups.push_back(std::move(at_shape));
    if (definition.point_count() > kMostPoints)
      group.fail(fmt::format("the sweep has over {} points", kMostPoints));
  }
}

}  // namespace gemmlab::runner
