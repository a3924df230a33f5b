#include "experiments/runner/exclusion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/machine.h"
#include "experiments/runner/axes.h"
#include "experiments/runner/named.h"
#include "experiments/runner/settings.h"

namespace gemmlab::runner {
namespace {

constexpr std::int64_t kMostCores = 1 << 20;

/// A whole number or a word, as written; text for anything else, which no implementation then takes.
ParameterValue value_of(const toml::node& node) {
  if (const auto* number = node.as_integer()) return number->get();
  if (const auto* word = node.as_string()) return word->get();
  return shown(node);
}

/// Refuses a value that no machine has. The words for `isa` depend on the machine, and an exclusion may mean
/// another machine; of a library's `kernel`s only those of this machine are known.
void require_possible(const TomlReader& reader, const std::vector<const Implementation*>& implementations,
                      const std::string& name, const ParameterValue& value) {
  std::set<std::string> allowed;
  if (name == "isa") allowed = {"baseline", "avx2", "avx512", "neon"};
  const toml::node& node = reader.node(name);
  if ((name == "kernel" && (node.is_string() || node.is_integer())) || allowed.count(to_string(value)) > 0)
    return;
  for (const Implementation* one : implementations) {
    const ParameterSpec* spec = one->description().find(name);
    if (spec == nullptr) continue;
    if (spec->allows(value)) return;
    if (name != "isa") allowed.insert(spec->allowed());
  }
  reader.fail(node,
              fmt::format("parameter '{}' is {}; allowed: {}", name, shown(node), fmt::join(allowed, ", ")));
}

}  // namespace

Exclusion::Exclusion(const TomlReader& reader, const Catalogue& catalogue, const Operation& operation,
                     std::vector<std::string>& notes) {
  if (reader.has("implementation")) {
    const Named named = named_in(reader, notes);
    pattern_ = named.pattern;
    parameters_ = named.parameters;
  }
  reason_ = reader.line("reason");
  const auto matching = catalogue.matching(pattern_, operation.name());
  // parameters of what this build lacks cannot be looked at, and there is nothing to leave out
  if (matching.empty() && missing_in_this_build(pattern_, operation.name())) return;
  std::vector<std::string> allowed{"implementation", "reason",     "flop_above",
                                   "size_above",     "size_below", "cores_below"};
  const bool of_all = !reader.has("implementation");
  const auto candidates = of_all ? catalogue.of(operation.name()) : matching;
  const auto names = parameter_names(candidates);
  allowed.insert(allowed.end(), names.begin(), names.end());
  reader.only(allowed, places_of_keys());
  if (!of_all && matching.empty()) {
    reader.fail(reader.node("implementation"), catalogue.unknown(pattern_, operation.name()));
  }
  if (reader.has("flop_above")) flop_above_ = reader.number_or("flop_above", 0, 0, 1e300);
  if (reader.has("size_above")) size_above_ = reader.integer_or("size_above", 0, 1, kMostSize);
  if (reader.has("size_below")) size_below_ = reader.integer_or("size_below", 0, 1, kMostSize);
  if (reader.has("cores_below")) cores_below_ = reader.integer_or("cores_below", 0, 1, kMostCores);
  for (const std::string& name : names) {
    if (!reader.has(name)) continue;
    parameters_[name] = value_of(reader.node(name));
    require_possible(reader, candidates, name, parameters_[name]);
  }
}

bool Exclusion::covers(const Point& point) const {
  if (!pattern_.empty() && !id_matches(pattern_, point.implementation)) return false;
  for (const auto& [name, value] : parameters_) {
    const auto found = point.parameters.find(name);
    if (found == point.parameters.end() || found->second != value) return false;
  }
  if (!flop_above_ && !size_above_ && !size_below_ && !cores_below_) return true;
  const Instance& instance = point.instance;
  const std::int64_t largest = *std::max_element(instance.dims.begin(), instance.dims.end());
  return (flop_above_ && instance.operation->operation_count(instance) > *flop_above_) ||
         (size_above_ && largest > *size_above_) || (size_below_ && largest < *size_below_) ||
         (cores_below_ && cpu_info().cores < *cores_below_);
}

}  // namespace gemmlab::runner
