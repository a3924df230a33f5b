#include <cctype>
#include <cstdlib>

#include "emulator/rewrite/edits.h"

namespace gemmlab::emulation {
namespace {

// g++ 12 takes no count that depends on a template's parameters, and expands no macro in the pragma.

bool is_loop(const Code& code, std::size_t index) {
  return code.is(index, "for") || code.is(index, "while") || code.is(index, "do");
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

/// Takes `word` off the front of the text, if it is there.
bool take(std::string_view& text, std::string_view word) {
  text = trimmed(text);
  if (text.substr(0, word.size()) != word) return false;
  const char behind = text.size() > word.size() ? text[word.size()] : ' ';
  if (std::isalnum(static_cast<unsigned char>(behind)) != 0 || behind == '_') return false;
  text.remove_prefix(word.size());
  return true;
}

/// The text without ends of lines, escaped or in a comment.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escapes = text[i] == '\\' && text.find_first_not_of("\r\n", i + 1) != i + 1;
    line += escapes || text[i] == '\n' || text[i] == '\r' ? ' ' : text[i];
  }
  return line;
}

/// How often a pragma asks to unroll: empty for all rounds.
struct Asked {
  bool any = false;
  std::string count;
};

Asked asked(std::string_view text) {
  if (take(text, "nounroll")) return {true, "1"};
  if (!take(text, "unroll")) return {};
  return {true, std::string(trimmed(text))};
}

/// Finds what a file says of a constant, to write a count without macros and parameters of templates.
class Constants {
 public:
  explicit Constants(const Code& code) : code_(code) {}

  /// The expression with its macros replaced; empty where a name's value is not to be known from this file.
  std::string resolved(const std::string& expression, int depth = 0) const {
    const Code parts(expression);
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string part =
          parts.is_word(i) ? value(std::string(parts.text(i)), depth) : std::string(parts.text(i));
      if (part.empty()) return "";
      text += part;
    }
    return text;
  }

 private:
  /// A name as it may stand in the pragma: itself for a constant, the text of a macro. Empty where it is neither, or
  /// where the file has two of that name.
  std::string value(const std::string& name, int depth) const {
    constexpr int kDeepest = 8;
    std::string found;
    for (std::size_t i = 0; i < code_.size() && depth < kDeepest; ++i) {
      const bool macro = code_[i].kind == TokenKind::kDirective && defines(i, name);
      const bool constant = code_.is(i, name) && code_.is(i + 1, "=") && is_constant(i);
      if (!macro && !constant) {
        if (code_.is(i, name) && declares(i)) return "";
        continue;
      }
      const std::string text = resolved(macro ? macro_text(i) : initialiser(i), depth + 1);
      if (text.empty() || !found.empty()) return "";
      found = macro ? "(" + text + ")" : name;
    }
    return found;
  }

  bool defines(std::size_t index, const std::string& name) const {
    std::string_view text = code_.text(index).substr(1);
    return take(text, "define") && trimmed(text) == name;
  }

  std::string macro_text(std::size_t index) const {
    std::size_t end = index + 1;
    while (code_.together(end, index + 1) && code_[end].macro != 0) ++end;
    return code_.flat(index + 1, end, true);
  }

  /// `constexpr int name`, `const unsigned name` and the like.
  bool is_constant(std::size_t index) const {
    for (std::size_t i = index; i > 0 && code_.is_word(i - 1); --i) {
      if (code_.is(i - 1, "constexpr") || code_.is(i - 1, "const")) return true;
    }
    return false;
  }

  /// Whether the name there may be a parameter or variable of its own: a word or a `>`, `*` stands in front.
  bool declares(std::size_t index) const {
    return index > 0 && code_.is_word(index - 1) && !code_.is(index - 1, "return");
  }

  std::string initialiser(std::size_t index) const {
    std::size_t end = index + 2;
    while (end < code_.size() && !code_.is(end, ";") && !code_.is(end, ",")) ++end;
    return code_.flat(index + 2, end, true);
  }

  const Code& code_;
};

std::string pragma(const std::string& count) {
  return "_Pragma(\"GCC unroll " + count + "\")";
}

/// Behind the loop at `index`, if it stands on one line and can be written twice; otherwise kNone.
std::size_t one_line_end(const Code& code, std::size_t index) {
  std::size_t at = index;
  while (code.is(at, "for") || code.is(at, "while")) {
    if (!code.is(at + 1, "(") || code.partner(at + 1) == kNone) return kNone;
    at = code.partner(at + 1) + 1;
  }
  for (const char* word : {"if", "do", "switch", "try"}) {
    if (code.is(at, word)) return kNone;
  }
  while (at < code.size() && !code.is(at, ";") && !code.is(at, "{")) {
    const std::size_t partner = code.partner(at);
    if (partner != kNone && partner < at) return kNone;
    at = (partner == kNone ? at : partner) + 1;
  }
  if (code.is(at, "{")) at = code.partner(at);
  if (at >= code.size() || code.line_ends(code[index].begin, code[at].end, 0) != "") return kNone;
  for (std::size_t i = index; i < at; ++i) {
    if (code.is(i, "<<<") || code.is(i, "asm") || code.is(i, "__shared__")) return kNone;
  }
  return code[at].end;
}

/// The body of the loop whose head ends at `close`.
std::size_t body_end(const Code& code, std::size_t close) {
  std::size_t at = close + 1;
  while (at < code.size() && !code.is(at, ";") && !code.is(at, "{")) {
    at = (code.partner(at) == kNone ? at : code.partner(at)) + 1;
  }
  return code.is(at, "{") ? code.partner(at) : at;
}

/// g++ unrolls a loop in part only after it has placed the calls that tell of accesses, so that all its turns would be one
/// place. `for (int a; b; c) d` becomes `for (int a; b; next round if b) for (turn < N; c) if (b) d`, whose inner loop is
/// unrolled as a whole. g++ may unroll the outer one, too, so a round says that it begins: nvcc joins no accesses of two.
/// False where the loop does not declare its variable, which goes too far now, or is left by a break.
bool unroll_in_part(const Code& code, std::size_t loop, const std::string& count, Edits& edits) {
  const bool number = count.size() <= 2 && count.find_first_not_of("0123456789") == std::string::npos;
  if (!number || std::atoi(count.c_str()) < 2 || !code.is(loop, "for") || !code.is(loop + 1, "("))
    return false;
  const std::size_t close = code.partner(loop + 1);
  std::size_t semicolons[2] = {kNone, kNone};
  int found = 0;
  for (std::size_t i = loop + 2; close != kNone && i < close; ++i) {
    if (code.partner(i) != kNone && code.partner(i) > i) i = code.partner(i);
    if (code.is(i, ";") && found < 2) semicolons[found++] = i;
  }
  const std::size_t end = close == kNone ? kNone : body_end(code, close);
  const bool declares = code.is_word(loop + 2) && (code.is_word(loop + 3) || code.is(loop + 3, "::"));
  if (!declares || found != 2 || end == kNone || semicolons[1] == semicolons[0] + 1 ||
      close == semicolons[1] + 1)
    return false;
  for (std::size_t i = close; i < end && i < code.size(); ++i) {
    if (code.is(i, "break") || code.is(i, "goto")) return false;
  }
  const std::string condition = code.flat(semicolons[0] + 1, semicolons[1], true);
  edits.replace(code[semicolons[1]].end, code[semicolons[1]].end,
                " (" + condition + ") ? ::gemmlab::emulation::next_round() : void()) " + pragma(count) +
                    " for (int gemmlab_turn = 0; gemmlab_turn < " + count + "; ++gemmlab_turn,");
  edits.replace(code[close].end, code[close].end, " if (" + condition + ")");
  return true;
}

/// Does the loop's variable begin at what the thread is? g++ cannot unroll such a loop as a whole, and 64 copies of its turns, made after the
/// calls that tell of accesses, were three fifths of the code of a batch's kernels.
bool begins_at_thread(const Code& code, std::size_t loop) {
  for (std::size_t i = loop + 2; code.is(loop, "for") && i < code.size() && !code.is(i, ";"); ++i) {
    if (code.is(i, "threadIdx")) return true;
  }
  return false;
}

void rewrite_directive(const Code& code, const Constants& constants, std::size_t index, Edits& edits) {
  const std::string line = on_one_line(code.text(index).substr(1));
  std::string_view text = line;
  if (!take(text, "pragma")) return;
  const Asked unrolling = asked(text);
  if (!unrolling.any) return;
  std::size_t loop = index + 1;
  while (loop < code.size() && code[loop].kind == TokenKind::kDirective) ++loop;
  const std::string known = constants.resolved(unrolling.count);
  const std::size_t end = one_line_end(code, loop);
  std::string replacement;
  if (unroll_in_part(code, loop, known, edits)) {
    // the pragma stands within the loop's head
  } else if (unrolling.count.empty() && begins_at_thread(code, loop)) {
    // left rolled
  } else if (is_loop(code, loop) && (unrolling.count.empty() || !known.empty() || end == kNone)) {
    replacement = "#pragma GCC unroll " + (known.empty() ? "64" : known);
  } else if (is_loop(code, loop)) {
    // "1" matters most: a loop that is not unrolled reads again what an unrolled one keeps.
    const std::string copy = code.source().substr(code[loop].begin, end - code[loop].begin);
    replacement = "if constexpr ((" + unrolling.count + ") == 1) { " + pragma("1");
    edits.replace(end, end, " } else { " + pragma("64") + " " + copy + " }");
  }
  edits.replace(code[index].begin, code[index].end,
                replacement + code.line_ends(code[index].begin, code[index].end, 0));
}

void rewrite_operator(const Code& code, const Constants& constants, std::size_t index, Edits& edits) {
  const std::size_t close = index + 3;
  if (!code.is(index + 1, "(") || !code.is(close, ")") || code[index + 2].kind != TokenKind::kText) return;
  std::string_view text = code.text(index + 2);
  if (text.size() < 2 || text.front() != '"') return;
  const Asked unrolling = asked(text.substr(1, text.size() - 2));
  if (!unrolling.any) return;
  // A macro that ends with it is written in front of a loop.
  const bool kept = !code.together(close + 1, index) || is_loop(code, close + 1);
  const std::string known = constants.resolved(unrolling.count);
  edits.replace(code[index].begin, code[close].end,
                (kept ? pragma(known.empty() ? "64" : known) : "") +
                    code.line_ends(code[index].begin, code[close].end, code[index].macro));
}

}  // namespace

void rewrite_unrolling(const Code& code, Edits& edits) {
  const Constants constants(code);
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].kind == TokenKind::kDirective) rewrite_directive(code, constants, i, edits);
    if (code.is(i, "_Pragma")) rewrite_operator(code, constants, i, edits);
  }
}

}  // namespace gemmlab::emulation
