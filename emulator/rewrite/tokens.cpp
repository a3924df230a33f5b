#include "emulator/rewrite/tokens.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace gemmlab::emulation {
namespace {

bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}
bool continues_word(char c) {
  return starts_word(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Lexer {
 public:
  explicit Lexer(const std::string& source) : source_(source) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) {
      if (skipped_gap()) continue;
      const char c = source_[at_];
      if (c == '#' && line_start_) {
        directive();
        continue;
      }
      line_start_ = false;
      const std::size_t begin = at_;
      add(token_kind(c), begin);
    }
    return std::move(tokens_);
  }

 private:
  bool here(std::string_view text) const { return source_.compare(at_, text.size(), text) == 0; }
  char next() const { return at_ + 1 < source_.size() ? source_[at_ + 1] : '\0'; }
  void add(TokenKind kind, std::size_t begin) { tokens_.push_back({kind, begin, at_, macro_}); }

  /// The length of an escaped end of line here, or 0.
  std::size_t escaped_end() const { return here("\\\n") ? 2 : here("\\\r\n") ? 3 : 0; }

  /// White space, a comment or the end of a line is behind us.
  bool skipped_gap() {
    if (const std::size_t length = escaped_end()) {
      at_ += length;
    } else if (source_[at_] == '\n') {
      ++at_;
      line_start_ = true;
      macro_ = 0;
    } else if (std::isspace(static_cast<unsigned char>(source_[at_])) != 0) {
      ++at_;
    } else if (here("//")) {
      while (at_ < source_.size() && source_[at_] != '\n') at_ += std::max<std::size_t>(1, escaped_end());
    } else if (here("/*")) {
      block_comment();
    } else {
      return false;
    }
    return true;
  }

  void block_comment() {
    const std::size_t end = source_.find("*/", at_ + 2);
    at_ = end == std::string::npos ? source_.size() : end + 2;
  }

  TokenKind token_kind(char c) {
    if (starts_word(c)) {
      const std::size_t begin = at_;
      word();
      const std::string_view text(source_.data() + begin, at_ - begin);
      const bool raw = text == "R" || text == "u8R" || text == "uR" || text == "UR" || text == "LR";
      if (!raw || at_ == source_.size() || source_[at_] != '"') return TokenKind::kWord;
      raw_string();
      return TokenKind::kText;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
        (c == '.' && std::isdigit(static_cast<unsigned char>(next())) != 0)) {
      number();
      return TokenKind::kNumber;
    }
    if ((c == '"' || c == '\'') && quoted(c)) return TokenKind::kText;
    static constexpr std::array<std::string_view, 6> kLong = {"<<<", "<<", "<=", ">=", "::", "->"};
    const auto* const sign =
        std::find_if(kLong.begin(), kLong.end(), [this](auto text) { return here(text); });
    at_ += sign == kLong.end() ? 1 : sign->size();
    return TokenKind::kSign;
  }

  void word() {
    while (at_ < source_.size() && continues_word(source_[at_])) ++at_;
  }

  void number() {
    while (at_ < source_.size()) {
      const char c = source_[at_];
      const bool exponent = c == 'e' || c == 'E' || c == 'p' || c == 'P';
      if (exponent && (next() == '+' || next() == '-')) {
        at_ += 2;
      } else if (continues_word(c) || c == '.' || (c == '\'' && continues_word(next()))) {
        ++at_;
      } else {
        return;
      }
    }
  }

  /// Goes past a string or character; false where it does not end on its line (prose within `#if 0`).
  bool quoted(char quote) {
    for (std::size_t i = at_ + 1; i < source_.size() && source_[i] != '\n'; ++i) {
      if (source_[i] == '\\') {
        ++i;
      } else if (source_[i] == quote) {
        at_ = i + 1;
        return true;
      }
    }
    return false;
  }

  void raw_string() {
    const std::size_t open = source_.find('(', at_);
    if (open == std::string::npos) return word();
    const std::string close = ")" + source_.substr(at_ + 1, open - at_ - 1) + "\"";
    const std::size_t end = source_.find(close, open);
    at_ = end == std::string::npos ? source_.size() : end + close.size();
  }

  void blanks() {
    while (at_ < source_.size()) {
      const std::size_t length = escaped_end();
      if (length == 0 && source_[at_] != ' ' && source_[at_] != '\t') return;
      at_ += std::max<std::size_t>(1, length);
    }
  }

  void directive() {
    const std::size_t begin = at_++;
    line_start_ = false;
    blanks();
    const std::size_t name = at_;
    word();
    if (source_.compare(name, at_ - name, "define") == 0) {
      blanks();
      word();
      if (at_ < source_.size() && source_[at_] == '(') {
        const std::size_t close = source_.find(')', at_);
        at_ = close == std::string::npos ? source_.size() : close + 1;
      }
      add(TokenKind::kDirective, begin);
      macro_ = ++macros_;
      return;
    }
    while (at_ < source_.size() && source_[at_] != '\n' && !here("//")) {
      if (here("/*")) {
        block_comment();
      } else if (source_[at_] != '"' || !quoted('"')) {
        at_ += std::max<std::size_t>(1, escaped_end());
      }
    }
    add(TokenKind::kDirective, begin);
  }

  const std::string& source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  bool line_start_ = true;
  int macro_ = 0;
  int macros_ = 0;
};

}  // namespace

std::vector<Token> tokens_of(const std::string& source) {
  return Lexer(source).run();
}

}  // namespace gemmlab::emulation
