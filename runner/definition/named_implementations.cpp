#include "runner/definition/named_implementations.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "runner/definition/aliases.h"
#include "runner/message_text.h"

namespace gemmlab::runner {
namespace {

Named named(const TomlReader& where, const toml::node& item, std::vector<std::string>& notes) {
  const std::string written = where.text("implementation", item);
  std::optional<Alias> alias;
  try {
    alias = alias_called(written);
  } catch (const UsageError& ambiguous) {
    where.fail(item, ambiguous.what());
  }
  if (!alias) return {written, {}, &item};
  std::string note = told_meaning(written, alias->id, alias->parameters);
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  return {alias->id, alias->parameters, &item};
}

bool is_meant(const Implementation& implementation, const std::vector<Instance>& instances) {
  return std::any_of(instances.begin(), instances.end(),
                     [&](const Instance& instance) { return implementation.meant_for(instance); });
}

}  // namespace

std::vector<Named> named_in(const TomlReader& where, std::vector<std::string>& notes) {
  std::vector<Named> all;
  for (const toml::node* item : where.items("implementation")) all.push_back(named(where, *item, notes));
  return all;
}

std::vector<Meant> meant_by(const std::vector<Named>& names, const TomlReader& where,
                            const Catalogue& catalogue, const Operation& operation,
                            const std::vector<Instance>& instances, std::vector<std::string>& left_out) {
  std::vector<Meant> all;
  for (const Named& name : names) {
    const auto matching = catalogue.matching(name.pattern, operation.name());
    for (const Implementation* implementation : matching) {
      const bool named = implementation->description().id == name.pattern;
      if (named || is_meant(*implementation, instances)) all.push_back({implementation, name.parameters});
    }
    if (!matching.empty()) continue;
    if (!missing_in_this_build(name.pattern, operation.name()))
      where.fail(*name.written, catalogue.unknown(name.pattern, operation.name()));
    left_out.push_back(name.pattern);
  }
  return all;
}

Named one_named_in(const TomlReader& where, std::vector<std::string>& notes) {
  return named(where, where.node("implementation"), notes);
}

}  // namespace gemmlab::runner
