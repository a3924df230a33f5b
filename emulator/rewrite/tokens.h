#pragma once

// CUDA C++ taken apart into tokens, as far as rewriting needs it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gemmlab::emulation {

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

template <std::size_t N>
bool among(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

enum class TokenKind { kWord, kNumber, kText, kSign, kDirective };

/// One token: [begin, end) of the source. Comments and white space lie between tokens.
struct Token {
  TokenKind kind;
  std::size_t begin;
  std::size_t end;
  int macro;  // 0 in ordinary code, otherwise the number of the #define in whose text it stands
};

/// A source taken apart. `<<<`, `<<`, `<=`, `>=`, `::` and `->` are one sign each, every other sign is one
/// character. A directive is one token; of a #define only its head is, and the macro's text is taken apart too.
class Code {
 public:
  explicit Code(const std::string& source);

  const std::string& source() const { return source_; }
  std::size_t size() const { return tokens_.size(); }
  const Token& operator[](std::size_t index) const { return tokens_[index]; }
  std::string_view text(std::size_t index) const;
  bool is(std::size_t index, std::string_view text) const;
  bool is_word(std::size_t index) const;
  /// Whether both exist and stand in the same macro, or both in none.
  bool together(std::size_t index, std::size_t other) const;

  /// The bracket that belongs to this one; kNone where there is none.
  std::size_t partner(std::size_t index) const { return partners_[index]; }
  /// Of template arguments: the `>` to the `<` at index, and the other way round; kNone where there is none.
  std::size_t end_of_arguments(std::size_t index) const;
  std::size_t begin_of_arguments(std::size_t index) const;

  /// The tokens [first, last) on one line, without comments. Spaces of the source stay, as one, if asked for;
  /// otherwise there is one only between two words.
  std::string flat(std::size_t first, std::size_t last, bool with_spaces) const;
  /// The same without spaces as a string literal; `#name` where it is but a parameter of the macro it stands in.
  std::string literal(std::size_t first, std::size_t last) const;
  /// As many ends of lines as [begin, end) of the source has, escaped within a macro.
  std::string line_ends(std::size_t begin, std::size_t end, int macro) const;

 private:
  bool is_parameter(std::size_t index) const;

  const std::string& source_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> partners_;
};

/// Takes a source apart; an unfinished string or comment ends at the end of its line or of the source.
std::vector<Token> tokens_of(const std::string& source);

}  // namespace gemmlab::emulation
