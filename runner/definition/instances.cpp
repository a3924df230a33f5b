#include "runner/definition/instances.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "runner/definition/axes.h"

namespace gemmlab::runner {
namespace {

using Dims = std::vector<std::int64_t>;

std::vector<std::string> names_of(const std::vector<DimensionSpec>& specs) {
  std::vector<std::string> names;
  for (const DimensionSpec& spec : specs) names.push_back(spec.name);
  return names;
}

/// Every combination of one value of each list.
template <typename Value>
std::vector<std::vector<Value>> crossed(const std::vector<std::vector<Value>>& axes, const TomlReader& group,
                                        std::size_t most) {
  double count = 1;
  for (const auto& axis : axes) count *= static_cast<double>(axis.size());
  if (count > static_cast<double>(most)) refuse_sweep(group, most);
  std::vector<std::vector<Value>> all(1);
  for (const auto& axis : axes) {
    std::vector<std::vector<Value>> longer;
    for (const auto& start : all) {
      for (const Value& value : axis) {
        longer.push_back(start);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// The first values together, the second, ...; the same once.
std::vector<Dims> zipped(const TomlReader& group, const std::vector<DimensionSpec>& specs) {
  std::vector<Dims> lists;
  std::string lengths;
  for (const DimensionSpec& spec : specs) {
    lists.push_back(integer_list(group, spec.name, spec.minimum, spec.maximum));
    const char* between = lists.size() == 1 ? "" : lists.size() == specs.size() ? " and " : ", ";
    lengths += fmt::format("{}{} ({})", between, spec.name, lists.back().size());
  }
  for (const Dims& list : lists) {
    if (list.size() != lists.front().size())
      group.fail(fmt::format("combine = \"zip\" needs as many values for {}", lengths));
  }
  std::vector<Dims> all;
  std::set<Dims> seen;
  for (std::size_t i = 0; i < lists.front().size(); ++i) {
    Dims dims;
    for (const Dims& list : lists) dims.push_back(list[i]);
    if (seen.insert(dims).second) all.push_back(std::move(dims));
  }
  return all;
}

std::vector<Dims> dims_of(const TomlReader& group, const Operation& operation, std::size_t most) {
  const std::vector<DimensionSpec>& specs = operation.dimensions();
  const bool zip = group.one_of<std::string>("combine", "cross", {"cross", "zip"},
                                             [](const std::string& word) { return word; }) == "zip";
  if (group.has("size")) {
    const auto given = std::find_if(specs.begin(), specs.end(),
                                    [&](const DimensionSpec& spec) { return group.has(spec.name); });
    const bool stands_for_itself = specs.size() == 1 && specs.front().name == "size";
    if (!stands_for_itself && (given != specs.end() || group.has("combine"))) {
      const std::vector<std::string> names = names_of(specs);
      group.fail(group.node("size"), fmt::format("'size' stands for {}{}{}: give it or them, not both",
                                                 fmt::join(names.begin(), names.end() - 1, ", "),
                                                 names.size() > 1 ? " and " : "", names.back()));
    }
    std::vector<Dims> all;
    for (std::int64_t size : integer_axis(group, "size", 1, kMostSize))
      all.push_back(operation.dims_of_size(size));
    return all;
  }
  if (zip) return zipped(group, specs);
  std::vector<Dims> axes;
  for (const DimensionSpec& spec : specs)
    axes.push_back(integer_axis(group, spec.name, spec.minimum, spec.maximum));
  return crossed(axes, group, most);
}

/// One value of an option. A value of the wrong type is refused by instance_of(), which knows what is
/// allowed.
OptionValue option_value(const TomlReader& group, const std::string& name, const toml::node& node) {
  if (const auto* whole = node.as_integer()) return whole->get();
  if (const auto* fraction = node.as_floating_point()) return fraction->get();
  if (const auto* word = node.as_string()) return word->get();
  group.fail(node, fmt::format("'{}' has the value {}; allowed: a number, a word, or a list of them", name,
                               shown(node)));
}

std::vector<OptionValue> option_axis(const TomlReader& group, const OptionSpec& spec) {
  if (!group.has(spec.name)) return {spec.default_value};
  std::vector<OptionValue> values;
  for (const toml::node* item : group.items(spec.name)) {
    OptionValue value = option_value(group, spec.name, *item);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
  }
  return values;
}

/// The key at which a refused instance is reported: an option that was given, a dimension, or `size`.
const toml::node& node_of(const TomlReader& group, const Operation& operation, const std::string& message) {
  const auto named = [&](const std::string& name) {
    return group.has(name) && message.find("'" + name + "'") != std::string::npos;
  };
  for (const OptionSpec& spec : operation.options()) {
    if (named(spec.name)) return group.node(spec.name);
  }
  for (const DimensionSpec& spec : operation.dimensions()) {
    if (named(spec.name)) return group.node(spec.name);
  }
  return group.node(group.has("size") ? "size" : "name");
}

}  // namespace

void refuse_sweep(const TomlReader& where, std::size_t most) {
  where.fail(fmt::format("the sweep has over {} points", most));
}

std::vector<std::string> instance_keys(const Operation& operation) {
  std::vector<std::string> keys{"size"};
  for (const DimensionSpec& spec : operation.dimensions()) keys.push_back(spec.name);
  keys.push_back("combine");
  for (const OptionSpec& spec : operation.options()) keys.push_back(spec.name);
  return keys;
}

std::vector<Instance> instances_of(const TomlReader& group, const Operation& operation, std::size_t most) {
  const std::vector<Dims> all_dims = dims_of(group, operation, most);
  std::vector<std::vector<OptionValue>> axes;
  for (const OptionSpec& spec : operation.options()) axes.push_back(option_axis(group, spec));
  const auto all_options = crossed(axes, group, most);
  if (all_dims.size() > most / all_options.size()) refuse_sweep(group, most);
  std::vector<Instance> instances;
  for (const Dims& dims : all_dims) {
    for (const std::vector<OptionValue>& values : all_options) {
      Options options;
      for (std::size_t i = 0; i < values.size(); ++i) options[operation.options()[i].name] = values[i];
      try {
        instances.push_back(instance_of(operation, dims, options));
      } catch (const std::invalid_argument& error) {
        group.fail(node_of(group, operation, error.what()), error.what());
      }
    }
  }
  return instances;
}

}  // namespace gemmlab::runner
