// The one file that compiles the parser; everywhere else toml++ is declarations only.
#define TOML_IMPLEMENTATION
#include "runner/definition/toml_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <string_view>

#include "runner/message_text.h"
#include "runner/name_suggestion.h"
#include "runner/regular_file.h"

namespace gemmlab::runner {
namespace {

/// The shortest text that reads back as the number, and as one that is no whole number.
std::string shown_number(double value) {
  std::string text = fmt::format("{}", value);
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

/// Adds to `text`, and stops where there is more than is shown anyway.
void show(const toml::node& node, std::string& text) {
  const auto list = [&](const auto& items, char open, char close, const auto& show_item) {
    text += open;
    const char* between = close == ']' ? "" : " ";
    for (const auto& item : items) {
      if (text.size() > kMostShown) return;
      text += between;
      show_item(item);
      between = ", ";
    }
    if (close == '}') text += ' ';
    text += close;
  };
  if (const toml::array* array = node.as_array()) {
    list(*array, '[', ']', [&](const toml::node& item) { show(item, text); });
  } else if (const toml::table* table = node.as_table()) {
    list(*table, '{', '}', [&](const auto& entry) {
      text += fmt::format("{} = ", entry.first.str());
      show(entry.second, text);
    });
  } else if (const auto* word = node.as_string()) {
    text += fmt::format("'{}'", clipped(word->get()));
  } else if (const auto* number = node.as_floating_point()) {
    text += shown_number(number->get());
  } else {
    std::ostringstream other;
    node.visit([&](const auto& value) { other << value; });
    text += other.str();
  }
}

/// Where the string that begins at `start` ends: behind its quotes, or at the end of a line that lacks them.
std::size_t behind_string(std::string_view text, std::size_t start) {
  const char quote = text[start];
  const bool lines = text.substr(start, 3) == std::string(3, quote);
  for (std::size_t i = start + (lines ? 3 : 1); i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (lines ? text.substr(i, 3) == std::string(3, quote) : text[i] == quote) {
      return i + (lines ? 3 : 1);
    } else if (!lines && text[i] == '\n') {
      return i;
    }
  }
  return text.size();
}

/// The first line on which keys, lists or tables nest deeper than kMostTomlNesting; 0 where none do. The parser, and whoever
/// destroys what it made, calls itself once a level, until the stack ends.
int line_nested_too_deep(std::string_view text) {
  int line = 1, dots = 0, open = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char letter = text[i];
    if (letter == '"' || letter == '\'') {
      const std::size_t end = behind_string(text, i);
      line += static_cast<int>(std::count(text.begin() + i, text.begin() + end, '\n'));
      i = end;
      continue;
    }
    if (letter == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (letter == '.') ++dots;
    if (letter == '[' || letter == '{') ++open;
    if (letter == ']' || letter == '}') --open;
    if (dots > kMostTomlNesting || open > kMostTomlNesting) return line;
    if (letter == '\n') ++line;
    if (std::string_view("=,[]{}\n").find(letter) != std::string_view::npos) dots = 0;
    ++i;
  }
  return 0;
}

}  // namespace

TomlFile read_toml(const std::string& file) {
  return parse_toml(read_regular_file(file, kMostDefinitionBytes), file);
}

TomlFile parse_toml(std::string text, const std::string& file) {
  if (const int line = line_nested_too_deep(text))
    throw UsageError(fmt::format("{}:{}: keys, lists or tables within one another, more than {} deep", file,
                                 line, kMostTomlNesting));
  TomlFile read{std::move(text), {}};
  try {
    read.table = toml::parse(read.text, file);
  } catch (const toml::parse_error& error) {
    throw UsageError(one_line(
        fmt::format("{}:{}: not valid TOML: {}", file, error.source().begin.line, error.description())));
  }
  return read;
}

std::string shown(const toml::node& node) {
  if (const auto* word = node.as_string()) return fmt::format("'{}'", clipped(word->get()));
  std::string text;
  show(node, text);
  return clipped(std::move(text));
}

void TomlReader::fail(const toml::node& where, const std::string& message) const {
  throw UsageError(one_line(fmt::format("{}:{}: {}{}{}", file_, where.source().begin.line, context_,
                                        context_.empty() ? "" : ": ", message)));
}

void TomlReader::fail(const std::string& message) const {
  fail(table_, message);
}

void TomlReader::only(const std::vector<std::string>& allowed,
                      const std::map<std::string, std::string>& elsewhere) const {
  for (const std::string& name : keys_beside(allowed)) {
    const auto home = elsewhere.find(name);
    const std::string hint =
        home == elsewhere.end() ? guess(name, allowed) : fmt::format(" (it {})", home->second);
    fail(node(name),
         fmt::format("unknown key '{}'{}; allowed: {}", clipped(name), hint, fmt::join(allowed, ", ")));
  }
}

std::vector<std::string> TomlReader::keys_beside(const std::vector<std::string>& allowed) const {
  std::vector<std::string> beside;
  for (const auto& [key, value] : table_) {
    std::string name(key.str());
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) beside.push_back(std::move(name));
  }
  return beside;
}

const toml::node& TomlReader::node(const std::string& key) const {
  const toml::node* found = table_.get(key);
  if (found == nullptr) fail(fmt::format("the key '{}' is missing", key));
  return *found;
}

std::vector<const toml::node*> TomlReader::items(const std::string& key) const {
  const toml::node& found = node(key);
  const toml::array* list = found.as_array();
  if (list == nullptr) return {&found};
  if (list->empty()) fail(found, fmt::format("'{}' is an empty sweep; at least one value is expected", key));
  std::vector<const toml::node*> all;
  for (const toml::node& item : *list) all.push_back(&item);
  return all;
}

std::string TomlReader::text(const std::string& key, const toml::node& item) const {
  if (!item.is_string())
    fail(item, fmt::format("'{}' is {}; a text in quotes is expected", key, shown(item)));
  std::string value = item.value<std::string>().value();
  if (has_control(value, "\n\t"))
    fail(item, fmt::format("'{}' is {}; a text without control characters is expected", key, shown(item)));
  return value;
}

std::string TomlReader::line(const std::string& key) const {
  std::string value = text(key);
  if (value.empty() || value.size() > kMostLineBytes || has_control(value)) {
    fail(node(key), fmt::format("'{}' is {}; one line of 1 to {} bytes is expected", key, shown(node(key)),
                                kMostLineBytes));
  }
  return value;
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

std::string TomlReader::word(const std::string& key, const toml::node& item,
                             const std::vector<std::string>& allowed) const {
  const std::string value = text(key, item);
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end())
    fail(item, fmt::format("'{}' is {}; allowed: {}", key, shown(item), fmt::join(allowed, ", ")));
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

std::vector<TomlReader> TomlReader::tables(const std::string& key, const std::string& written) const {
  std::vector<TomlReader> found;
  if (!has(key)) return found;
  const toml::array* list = node(key).as_array();
  const auto refuse = [&](const toml::node& where) {
    fail(where, fmt::format("'{}' must be written as [[{}]]", key, written));
  };
  if (list == nullptr) refuse(node(key));
  int number = 0;
  for (const toml::node& item : *list) {
    ++number;
    const toml::table* table = item.as_table();
    if (table == nullptr) refuse(item);
    const auto name = (*table)["name"].value<std::string>();
    const std::string label =
        name ? fmt::format("{} '{}'", key, clipped(*name)) : fmt::format("{} {}", key, number);
    found.push_back(inner(*table, label));
  }
  return found;
}

}  // namespace gemmlab::runner
