#include "experiments/runner/named.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "experiments/runner/aliases.h"
#include "experiments/runner/message_text.h"

namespace gemmlab::runner {

Named named_in(const TomlReader& where, std::vector<std::string>& notes) {
  const std::string written = where.text("implementation");
  std::optional<Alias> alias;
  try {
    alias = alias_called(written);
  } catch (const UsageError& ambiguous) {
    where.fail(where.node("implementation"), ambiguous.what());
  }
  if (!alias) return {written, {}};
  std::string note = fmt::format("'{}' is {}", clipped(written), alias->id);
  for (const auto& [name, value] : alias->parameters) note += fmt::format(", {} {}", name, to_string(value));
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  return {alias->id, alias->parameters};
}

}  // namespace gemmlab::runner
