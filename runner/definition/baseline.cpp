#include "runner/definition/baseline.h"

#include <fmt/format.h>

#include <set>

#include "runner/definition/axes.h"
#include "runner/definition/named_implementations.h"
#include "runner/message_text.h"

namespace gemmlab::runner {
namespace {

bool known_implementation(const std::string& pattern, const Catalogue& catalogue) {
  return !catalogue.matching(pattern).empty() || missing_in_this_build(pattern);
}

/// As the report looks for it: `matches` in records/view.py.
bool matches(const Point& point, const Json& wanted) {
  for (const auto& [key, value] : wanted.items()) {
    const auto parameter = point.parameters.find(key);
    std::string own = parameter == point.parameters.end() ? "" : to_string(parameter->second);
    if (key == "implementation") own = point.implementation;
    if (key == "label") own = point.label;
    if (own != (value.is_string() ? value.get<std::string>() : value.dump())) return false;
  }
  return true;
}

/// Refuses a baseline that no line measures, of the table's or figure's group where it names one. Where lines
/// of it are left out (GPU ones in a build without CUDA), nobody can tell.
void require_measured(const TomlReader& item, const Json& wanted, const Definition& definition) {
  const std::string implementation = wanted.at("implementation");
  for (const LeftOut& left : definition.left_out) {
    if (id_matches(left.implementation, implementation)) return;
  }
  const std::string group = item.text_or("group", "");
  std::set<std::string> measured;
  for (const Group& at_shape : definition.groups) {
    if (!group.empty() && at_shape.name != group) continue;
    for (const Point& point : at_shape.points) {
      if (matches(point, wanted)) return;
      measured.insert(fmt::format("{} ({})", point.implementation, point.label));
    }
  }
  // on a machine that leaves the whole group out its lines are still known
  for (const Excluded& left : definition.excluded) {
    if (!measured.empty() || (!group.empty() && left.group != group)) continue;
    if (matches(left.point, wanted)) return;
  }
  item.fail(
      item.node("baseline"),
      fmt::format("'baseline' is {}, which no line {}measures; allowed: {}", shown(item.node("baseline")),
                  group.empty() ? "" : fmt::format("of group '{}' ", clipped(group)),
                  listed({measured.begin(), measured.end()})));
}

}  // namespace

Json read_baseline(const TomlReader& item, const Catalogue& catalogue, Definition& definition) {
  const toml::node& node = item.node("baseline");
  const toml::table* table = node.as_table();
  if (table == nullptr)
    item.fail(node, "'baseline' must be a table such as { implementation = \"cpu.openmp\", threads = 8 }");
  const TomlReader baseline = item.inner(*table, "baseline");
  const auto [implementation, parameters, written] = one_named_in(baseline, definition.notes);
  if (!known_implementation(implementation, catalogue)) {
    baseline.fail(*written, catalogue.unknown(implementation));
  }
  std::vector<std::string> allowed{"implementation", "label"};
  if (const Implementation* found = catalogue.find(implementation)) {
    for (const ParameterSpec& spec : found->description().parameters) {
      allowed.push_back(spec.name);
      if (baseline.has(spec.name))
        parameter_axis(baseline, found->description(), spec);  // refuses what is not allowed
    }
    baseline.only(allowed);
  }
  Json json = gemmlab::to_json(parameters);
  for (const auto& [key, value] : *table) {
    const std::string name(key.str());
    if (name == "implementation") {
      json[name] = implementation;
    } else if (const auto number = value.value<std::int64_t>(); value.is_integer()) {
      json[name] = *number;
    } else {
      json[name] = baseline.text(name);
    }
  }
  require_measured(item, json, definition);
  return json;
}

}  // namespace gemmlab::runner
