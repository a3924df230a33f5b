// The one file that compiles the parser; everywhere else toml++ is declarations only.
#define TOML_IMPLEMENTATION
#include "experiments/runner/toml_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "experiments/runner/guess.h"

namespace gemmlab::runner {

TomlFile read_toml(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  // a folder can be opened, and then has no text
  if (!stream || std::filesystem::is_directory(file))
    throw UsageError(fmt::format("{}: the file cannot be read", file));
  std::ostringstream text;
  text << stream.rdbuf();
  try {
    return {text.str(), toml::parse(text.str(), file)};
  } catch (const toml::parse_error& error) {
    throw UsageError(
        fmt::format("{}:{}: not valid TOML: {}", file, error.source().begin.line, error.description()));
  }
}

std::string shown(const toml::node& node) {
  std::ostringstream text;
  node.visit([&](const auto& value) { text << value; });
  return text.str();
}

void TomlReader::fail(const toml::node& where, const std::string& message) const {
  std::string line = fmt::format("{}:{}: {}{}{}", file_, where.source().begin.line, context_,
                                 context_.empty() ? "" : ": ", message);
  // a text, a key or a table that is shown may have several
  std::replace(line.begin(), line.end(), '\n', ' ');
  throw UsageError(line);
}

void TomlReader::fail(const std::string& message) const {
  fail(table_, message);
}

void TomlReader::only(const std::vector<std::string>& allowed) const {
  for (const auto& [key, value] : table_) {
    const std::string name(key.str());
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
      fail(value, fmt::format("unknown key '{}'{}; allowed: {}", name, guess(name, allowed),
                              fmt::join(allowed, ", ")));
    }
  }
}

const toml::node& TomlReader::node(const std::string& key) const {
  const toml::node* found = table_.get(key);
  if (found == nullptr) fail(fmt::format("the key '{}' is missing", key));
  return *found;
}

std::string TomlReader::text(const std::string& key) const {
  const toml::node& found = node(key);
  if (!found.is_string())
    fail(found, fmt::format("'{}' is {}; a text in quotes is expected", key, shown(found)));
  return found.value<std::string>().value();
}

std::string TomlReader::text_or(const std::string& key, const std::string& otherwise) const {
  return has(key) ? text(key) : otherwise;
}

double TomlReader::number_or(const std::string& key, double otherwise, double least, double most) const {
  if (!has(key)) return otherwise;
  const toml::node& found = node(key);
  const std::optional<double> value = found.value<double>();
  if (!found.is_number() || !value || !(*value >= least && *value <= most)) {
    fail(found,
         fmt::format("'{}' is {}; a number from {} to {} is expected", key, shown(found), least, most));
  }
  return *value;
}

bool TomlReader::boolean_or(const std::string& key, bool otherwise) const {
  if (!has(key)) return otherwise;
  const toml::node& found = node(key);
  if (!found.is_boolean()) fail(found, fmt::format("'{}' is {}; allowed: true, false", key, shown(found)));
  return found.value_or(otherwise);
}

std::string TomlReader::word(const std::string& key, const std::vector<std::string>& allowed) const {
  const std::string value = text(key);
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
    fail(node(key), fmt::format("'{}' is '{}'; allowed: {}", key, value, fmt::join(allowed, ", ")));
  }
  return value;
}

std::int64_t TomlReader::integer_or(const std::string& key, std::int64_t otherwise, std::int64_t least,
                                    std::int64_t most) const {
  if (!has(key)) return otherwise;
  const toml::node& found = node(key);
  const auto value = found.value<std::int64_t>();
  if (!found.is_integer() || !value || *value < least || *value > most) {
    fail(found,
         fmt::format("'{}' is {}; a whole number from {} to {} is expected", key, shown(found), least, most));
  }
  return *value;
}

std::vector<TomlReader> TomlReader::tables(const std::string& key, const std::string& what) const {
  std::vector<TomlReader> found;
  if (!has(key)) return found;
  const toml::array* list = node(key).as_array();
  if (list == nullptr) fail(node(key), fmt::format("'{}' must be written as [[{}]]", key, key));
  int number = 0;
  for (const toml::node& item : *list) {
    ++number;
    const toml::table* table = item.as_table();
    if (table == nullptr) fail(item, fmt::format("'{}' must be written as [[{}]]", key, key));
    const auto name = (*table)["name"].value<std::string>();
    const std::string label = name ? fmt::format("{} '{}'", what, *name) : fmt::format("{} {}", what, number);
    found.emplace_back(*table, file_, context_.empty() ? label : context_ + ", " + label);
  }
  return found;
}

}  // namespace gemmlab::runner
