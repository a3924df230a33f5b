#include "cmake/source_hashes/text.h"

#include <algorithm>
#include <cctype>

namespace gemmlab::source_hashes {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Reads a source from its start to its end, and writes what matters of it.
class Reader {
 public:
  explicit Reader(const std::string& source) : in_(source) {}

  std::string code() {
    while (at_ < in_.size()) step();
    return std::move(out_);
  }

 private:
  char next(std::size_t ahead = 1) const { return at_ + ahead < in_.size() ? in_[at_ + ahead] : '\0'; }
  char last() const { return out_.empty() ? '\n' : out_.back(); }

  void step() {
    const char c = in_[at_];
    if (c == '/' && next() == '/') return skip_line_comment();
    if (c == '/' && next() == '*') {
      at_ = std::min(in_.find("*/", at_ + 2), in_.size() - 2) + 2;
      return space();
    }
    if (c == '\\' && next() == '\n') {
      at_ += 2;
      return space();
    }
    if (c == '\n') {
      ++at_;
      line_begins_ = true;
      if (!directive_) return space();
      directive_ = spaced_ = false;
      out_ += '\n';
      return;
    }
    if (std::isspace(static_cast<unsigned char>(c))) {
      ++at_;
      return space();
    }
    if (c == '#' && line_begins_) {
      directive_ = true;
      if (last() != '\n') out_ += '\n';
      spaced_ = false;
    }
    line_begins_ = false;
    put_space();
    if (c == '"' && raw()) return copy_raw();
    if (c == '"' || (c == '\'' && !separates_digits())) return copy_literal(c);
    out_ += in_[at_++];
  }

  void skip_line_comment() {
    while (at_ < in_.size() && in_[at_] != '\n') at_ += in_[at_] == '\\' && next() == '\n' ? 2 : 1;
  }
  void space() { spaced_ = true; }

  /// White space that was passed over is written where it separates something.
  void put_space() {
    static const std::string kNeedsNone = ";,(){}[]";
    const bool needless = last() == '\n' || kNeedsNone.find(last()) != std::string::npos ||
                          kNeedsNone.find(in_[at_]) != std::string::npos;
    // `#define F (x)` is not `#define F(x)`
    if (spaced_ && (!needless || (directive_ && last() != '\n'))) out_ += ' ';
    spaced_ = false;
  }

  /// 1'000: within a word that begins with a digit.
  bool separates_digits() const {
    std::size_t begin = out_.size();
    while (begin > 0 && (is_word(out_[begin - 1]) || out_[begin - 1] == '\'')) --begin;
    return begin < out_.size() && std::isdigit(static_cast<unsigned char>(out_[begin])) && is_word(next());
  }
  bool raw() const { return last() == 'R' && (out_.size() < 2 || !is_word(out_[out_.size() - 2])); }

  void copy_raw() {
    const std::size_t open = std::min(in_.find('(', at_), in_.size() - 1);
    const std::string close = ")" + in_.substr(at_ + 1, open - at_ - 1) + "\"";
    const std::size_t end = std::min(in_.find(close, open), in_.size() - close.size()) + close.size();
    out_ += in_.substr(at_, end - at_);
    at_ = end;
  }

  void copy_literal(char quote) {
    out_ += in_[at_++];
    while (at_ < in_.size() && in_[at_] != quote && in_[at_] != '\n') {
      if (in_[at_] == '\\') out_ += in_[at_++];
      if (at_ < in_.size()) out_ += in_[at_++];
    }
    if (at_ < in_.size() && in_[at_] == quote) out_ += in_[at_++];
  }

  const std::string& in_;
  std::string out_;
  std::size_t at_ = 0;
  bool line_begins_ = true;
  bool directive_ = false;
  bool spaced_ = false;  ///< white space or a comment was passed over
};

/// Does `text` go on with `what` at `at`? Then `at` stands behind it.
bool skip(const std::string& text, std::size_t& at, const std::string& what) {
  if (text.compare(at, what.size(), what) != 0) return false;
  at += what.size();
  return true;
}

}  // namespace

// Searched by hand: <regex> takes longer to compile than all the rest of this program.

std::string code_of(const std::string& source) {
  std::string code = Reader(source).code();
  const std::string kId = ".id = ";
  for (std::size_t at = code.find(kId); at != std::string::npos; at = code.find(kId, at + 1)) {
    const std::size_t behind = code.find_first_of(",;{}", at);
    if (behind == std::string::npos || code[behind] != ',') continue;
    for (const char* shown : {".name = \"", ".family = \""}) {
      std::size_t end = behind + 1;
      if (!skip(code, end, shown)) continue;
      end = code.find('"', end);
      if (end != std::string::npos && skip(code, ++end, ",")) code.erase(behind + 1, end - behind - 1);
    }
  }
  return code;
}

std::vector<std::string> statements_of(const std::string& cmake) {
  std::vector<std::string> statements;
  std::string statement;
  int depth = 0;
  bool quoted = false;
  bool comment = false;
  for (const char c : cmake) {
    comment = c != '\n' && (comment || c == '#');
    if (comment) continue;
    if (c == '"') quoted = !quoted;
    if (std::isspace(static_cast<unsigned char>(c))) {
      if (!statement.empty() && statement.back() != ' ') statement += ' ';
      continue;
    }
    statement += c;
    if (!quoted && c == '(') ++depth;
    if (!quoted && c == ')' && --depth == 0) statements.push_back(std::move(statement)), statement.clear();
  }
  return statements;
}

}  // namespace gemmlab::source_hashes
