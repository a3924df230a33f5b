#pragma once

// Reads TOML tables and reports every mistake in one line: file, line, key, value and what is allowed.

#include <toml++/toml.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/usage_error.h"

namespace gemmlab::runner {

struct TomlFile {
  std::string text;
  toml::table table;
};
/// Throws UsageError with the file's name, and the line where it is no TOML; also where it is not an ordinary
/// file, larger than kMostDefinitionBytes, or nested deeper than kMostTomlNesting.
inline constexpr std::size_t kMostDefinitionBytes = 16 << 20;
inline constexpr std::size_t kMostLineBytes = 1000;
inline constexpr int kMostTomlNesting = 32;  ///< of dotted keys, and of lists and tables; a definition has 3
TomlFile read_toml(const std::string& file);
/// The same of a text that is at hand; `file` is what messages call it.
TomlFile parse_toml(std::string text, const std::string& file);

class TomlReader {
 public:
  /// `context` names the table in messages: "group 'squares'".
  TomlReader(const toml::table& table, std::string file, std::string context)
      : table_(table), file_(std::move(file)), context_(std::move(context)) {}

  /// Refuses every key that is not in `allowed`. `elsewhere` tells of keys that other tables have where they
  /// stand.
  void only(const std::vector<std::string>& allowed,
            const std::map<std::string, std::string>& elsewhere = {}) const;
  /// The keys that are not in `allowed`.
  std::vector<std::string> keys_beside(const std::vector<std::string>& allowed) const;
  bool has(const std::string& key) const { return table_.contains(key); }
  const toml::table& table() const { return table_; }
  const toml::node& node(const std::string& key) const;
  /// What a list holds, at least one item; what stands there itself where it is no list.
  std::vector<const toml::node*> items(const std::string& key) const;

  /// A text; line breaks and tabs are the only control characters in it.
  std::string text(const std::string& key) const { return text(key, node(key)); }
  /// The same of one of the items.
  std::string text(const std::string& key, const toml::node& item) const;
  /// A text of one line, not empty, of at most kMostLineBytes: what names something in tables and figures.
  std::string line(const std::string& key) const;
  std::string text_or(const std::string& key, const std::string& otherwise) const;
  double number_or(const std::string& key, double otherwise, double least, double most) const;
  std::int64_t integer_or(const std::string& key, std::int64_t otherwise, std::int64_t least,
                          std::int64_t most) const;
  bool boolean_or(const std::string& key, bool otherwise) const;
  /// One of the `allowed` words, turned into a value by `from`; `otherwise` where the key is missing.
  template <typename T, typename From>
  T one_of(const std::string& key, T otherwise, const std::vector<std::string>& allowed, From from) const {
    return has(key) ? static_cast<T>(from(word(key, node(key), allowed))) : otherwise;
  }
  /// One item, which must be one of the `allowed` words.
  std::string word(const std::string& key, const toml::node& item,
                   const std::vector<std::string>& allowed) const;
  /// The tables of an array of tables; none where the key is missing. `written` is what stands in its double
  /// brackets.
  std::vector<TomlReader> tables(const std::string& key, const std::string& written) const;

  /// Throws UsageError "file:line: context: message".
  [[noreturn]] void fail(const toml::node& where, const std::string& message) const;
  [[noreturn]] void fail(const std::string& message) const;
  const std::string& file() const { return file_; }
  /// A table that stands in this one; messages name both.
  TomlReader inner(const toml::table& table, const std::string& name) const {
    return TomlReader(table, file_, context_.empty() ? name : context_ + ", " + name);
  }

 private:
  const toml::table& table_;
  std::string file_;
  std::string context_;
};

/// A node as it stands in a message: "12", "'avx9'", "[1, 2]". One line, cut where it is long.
std::string shown(const toml::node& node);

}  // namespace gemmlab::runner
