#include "runner/definition/exclusion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/machine/machine.h"
#include "runner/definition/axes.h"
#include "runner/definition/other_machines.h"
#include "runner/definition/settings.h"

namespace gemmlab::runner {
namespace {

constexpr std::int64_t kMostCores = 1 << 20;

/// A whole number or a word, as written; text for anything else, which no implementation then takes.
ParameterValue value_of(const toml::node& node) {
  if (const auto* number = node.as_integer()) return number->get();
  if (const auto* word = node.as_string()) return word->get();
  return shown(node);
}

/// Refuses a value that no machine has; of a library's `kernel`s only those of this machine are known.
void require_possible(const TomlReader& reader, const std::vector<const Implementation*>& implementations,
                      const std::string& name, const ParameterValue& value) {
  std::set<std::string> allowed;
  const toml::node& node = reader.node(name);
  if (name == "kernel" && (node.is_string() || node.is_integer())) return;
  for (const Implementation* one : implementations) {
    const ParameterSpec* spec = one->description().find(name);
    if (spec == nullptr) continue;
    if (spec->allows(value) || is_of_another_machine(*spec, value)) return;
    allowed.insert(allowed_anywhere(*spec));
  }
  reader.fail(node,
              fmt::format("parameter '{}' is {}; allowed: {}", name, shown(node), fmt::join(allowed, ", ")));
}

}  // namespace

Exclusion::Exclusion(const TomlReader& reader, const Catalogue& catalogue, const Operation& operation,
                     const std::vector<Instance>& instances, std::vector<std::string>& notes) {
  reason_ = reader.line("reason");
  std::vector<const Implementation*> candidates = catalogue.of(operation.name());
  std::vector<std::string> left_out;
  if (reader.has("implementation")) {
    names_ = named_in(reader, notes);
    candidates.clear();
    for (const Meant& meant : meant_by(names_, reader, catalogue, operation, instances, left_out))
      candidates.push_back(meant.implementation);
  }
  const std::vector<std::string> names = parameter_names(candidates);
  std::vector<std::string> allowed{"implementation", "reason",     "flop_above",
                                   "size_above",     "size_below", "cores_below"};
  allowed.insert(allowed.end(), names.begin(), names.end());
  // another key may be a parameter of what this build lacks, and then none of the others has it
  if (left_out.empty())
    reader.only(allowed, places_of_keys());
  else
    for (const std::string& key : reader.keys_beside(allowed)) parameters_[key] = value_of(reader.node(key));
  if (reader.has("flop_above")) flop_above_ = reader.number_or("flop_above", 0, 0, 1e300);
  if (reader.has("size_above")) size_above_ = reader.integer_or("size_above", 0, 1, kMostSize);
  if (reader.has("size_below")) size_below_ = reader.integer_or("size_below", 0, 1, kMostSize);
  if (reader.has("cores_below")) cores_below_ = reader.integer_or("cores_below", 0, 1, kMostCores);
  for (const std::string& name : names) {
    if (!reader.has(name)) continue;
    parameters_[name] = value_of(reader.node(name));
    require_possible(reader, candidates, name, parameters_[name]);
    for (Named& one : names_) one.parameters.erase(name);
  }
}

bool Exclusion::covers(const Point& point) const {
  const auto has = [&](const Parameters& parameters) {
    return std::all_of(parameters.begin(), parameters.end(), [&](const auto& wanted) {
      const auto found = point.parameters.find(wanted.first);
      return found != point.parameters.end() && found->second == wanted.second;
    });
  };
  const bool named = std::any_of(names_.begin(), names_.end(), [&](const Named& name) {
    return id_matches(name.pattern, point.implementation) && has(name.parameters);
  });
  if (!(named || names_.empty()) || !has(parameters_)) return false;
  if (!flop_above_ && !size_above_ && !size_below_ && !cores_below_) return true;
  const Instance& instance = point.instance;
  const std::int64_t largest = *std::max_element(instance.dims.begin(), instance.dims.end());
  return (flop_above_ && instance.operation->operation_count(instance) > *flop_above_) ||
         (size_above_ && largest > *size_above_) || (size_below_ && largest < *size_below_) ||
         (cores_below_ && cpu_info().cores < *cores_below_);
}

}  // namespace gemmlab::runner
