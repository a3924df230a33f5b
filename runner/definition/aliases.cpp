#include "runner/definition/aliases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "core/device.h"
#include "core/machine/own_files.h"
#include "core/operation.h"
#include "runner/definition/toml_reader.h"
#include "runner/message_text.h"
#include "runner/name_suggestion.h"

namespace gemmlab::runner {
namespace {

/// Numbers and words, as definitions have them.
Parameters parameters_in(const TomlReader& row) {
  Parameters made;
  if (!row.has("parameters")) return made;
  const toml::table* table = row.node("parameters").as_table();
  if (table == nullptr) row.fail(row.node("parameters"), "parameters: a table is allowed, { block = 32 }");
  for (const auto& [name, value] : *table) {
    if (const toml::value<std::int64_t>* number = value.as_integer()) {
      made[std::string(name.str())] = number->get();
    } else {
      made[std::string(name.str())] = value.value_or(std::string());
    }
  }
  return made;
}

void read_aliases(const std::string& file, std::vector<Alias>& made) {
  const TomlFile read = read_toml(file);
  for (const TomlReader& row : TomlReader(read.table, file, "").tables("alias", "alias")) {
    const Parameters parameters = parameters_in(row);
    const toml::table* names = row.node("names").as_table();
    if (names == nullptr) row.fail(row.node("names"), "names: a table is allowed, who says it = [names]");
    for (const auto& [source, list] : *names) {
      const toml::array* all = list.as_array();
      if (all == nullptr) row.fail(list, "names: a list of names is allowed");
      for (const toml::node& name : *all)
        made.push_back({row.line("id"), std::string(source.str()), name.value_or(std::string()), parameters});
    }
  }
}

/// Those beside each rows.txt.
std::vector<Alias> read_all_aliases() {
  std::vector<Alias> made;
  for (const Device& device : kDevices) {
    for (const Operation* operation : operations()) {
      const auto file =
          std::filesystem::path(source_root()) / device.name / operation->name() / "aliases.toml";
      std::error_code error;
      if (std::filesystem::exists(file, error)) read_aliases(file.string(), made);
    }
  }
  return made;
}

/// What counts of a name.
std::string bare_name(const std::string& name) {
  std::string kept;
  for (const char letter : name) {
    if (letter != ' ' && letter != '-' && letter != '_')
      kept += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return kept;
}

}  // namespace

const std::vector<Alias>& aliases() {
  static const std::vector<Alias> all = read_all_aliases();
  return all;
}

std::string also_called(const std::string& id) {
  std::string names;
  for (const Alias& alias : aliases()) {
    if (alias.id == id) names += (names.empty() ? "" : ", ") + alias.name;
  }
  return names;
}

std::optional<Alias> alias_called(const std::string& text, const std::string& device) {
  std::optional<Alias> meant;
  bool several = false;
  std::vector<std::string> told;
  for (const Alias& alias : aliases()) {
    if (bare_name(alias.name) != bare_name(text) || alias.id.rfind(device, 0) != 0) continue;
    if (!meant) meant = alias;
    several = several || alias.id != meant->id;
    told.push_back(fmt::format("{} ({})", alias.id, alias.source));
  }
  if (several) throw UsageError(fmt::format("'{}' is ambiguous: {}", clipped(text), listed(told)));
  return meant;
}

std::string told_meaning(const std::string& text, const std::string& id, const Parameters& parameters) {
  std::string told = fmt::format("'{}' is {}", clipped(text), id);
  for (const auto& [name, value] : parameters) told += fmt::format(", {} {}", name, to_string(value));
  return told;
}

std::string id_meant(const std::string& text) {
  const std::optional<Alias> meant = alias_called(text);
  return meant ? meant->id : text;
}

std::string near_names(const Catalogue& catalogue, const std::string& text) {
  std::vector<std::string> names;
  for (const Alias& alias : aliases()) names.push_back(alias.name);
  const std::string near = guess(text, names);
  if (near.empty()) return one_line(catalogue.unknown(text));
  return one_line(fmt::format("unknown implementation '{}'{}; gemmlab list shows all", clipped(text), near));
}

}  // namespace gemmlab::runner
