#include <array>
#include <set>

#include "emulator/include/gemmlab_ptx_table.h"
#include "emulator/rewrite/edits.h"

namespace gemmlab::emulation {
namespace {

/// Assembly without an instruction only keeps the compiler from moving code. Where it names a floating-point
/// register as PTX does, it must name x86's.
void rewrite_empty(const Code& code, std::size_t open, Edits& edits) {
  constexpr std::size_t kNameAtLeast = 3;  // with its quotes
  for (std::size_t i = open + 2; i < code.partner(open); ++i) {
    std::string constraint(code.text(i));
    if (code[i].kind != TokenKind::kText || constraint.size() < kNameAtLeast || !code.is(i + 1, "("))
      continue;
    char& name = constraint[constraint.size() - 2];
    if (name == 'f' || name == 'd') name = 'x';
    edits.replace(code[i].begin, code[i].end, constraint);
  }
}

/// A constraint as the function that takes its operand: "=r" as gemmlab_ptx_out_r. Empty for what is none.
std::string function_of(std::string_view literal) {
  if (literal.size() < 3 || literal.front() != '"' || literal.back() != '"') return {};
  std::string_view text = literal.substr(1, literal.size() - 2);
  std::string function = "gemmlab_ptx_in_";
  if (text.front() == '=' || text.front() == '+') {
    function = text.front() == '=' ? "gemmlab_ptx_out_" : "gemmlab_ptx_both_";
    text.remove_prefix(1);
  }
  if (!text.empty() && text.front() == '&') text.remove_prefix(1);
  if (text.size() != 1) return {};
  if (std::string_view("hrlfdn").find(text.front()) == std::string_view::npos) return {};
  return function + text.front();
}

/// What a string literal means, as far as PTX needs it.
std::string unquoted(std::string_view literal) {
  std::string text;
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    if (literal[i] != '\\') {
      text += literal[i];
    } else if (++i + 1 < literal.size()) {
      text += literal[i] == 'n' || literal[i] == 't' || literal[i] == 'r' ? ' ' : literal[i];
    }
  }
  return text;
}

/// The name of a macro in whose text the token stands.
std::string macro_of(const Code& code, std::size_t index) {
  if (code[index].macro == 0) return {};
  while (code[index].kind != TokenKind::kDirective) --index;
  const std::string_view head = code.text(index);
  const std::size_t define = head.find("define");
  if (define == std::string_view::npos) return {};
  const std::size_t begin = head.find_first_not_of(" \t", define + 6);
  const std::size_t end = head.find_first_of("( \t", begin);
  return begin == std::string_view::npos ? std::string() : std::string(head.substr(begin, end - begin));
}

/// One statement: `(text : outputs : inputs : clobbers)`.
class Statement {
 public:
  Statement(const Code& code, std::size_t open) : code_(code), open_(open), close_(code.partner(open)) {
    for (std::size_t i = open_ + 1; i < close_; ++i) {
      if (code.is(i, ":")) colons_.push_back({i, 1});
      if (code.is(i, "::")) colons_.push_back({i, 2});
      if (code.partner(i) != kNone && code.partner(i) > i) i = code.partner(i);
    }
  }

  /// The first instruction that is not run; empty where all are, or where a macro holds the text.
  std::string refused() const {
    const std::size_t end = colons_.empty() ? close_ : colons_.front().at;
    std::string text;
    for (std::size_t i = open_ + 1; i < end; ++i) {
      if (code_[i].kind != TokenKind::kText) return {};
      text += unquoted(code_.text(i));
    }
    const PtxRefused found = ptx_refused(text.c_str());
    return {found.begin, found.end};
  }

  /// Every operand's constraint is one of PTX, and none goes by a name, which nvcc does not take.
  bool understood() const {
    for (std::size_t i = open_ + 1; i < close_; ++i) {
      if (code_[i].kind == TokenKind::kText && code_.text(i).find("%[") != std::string_view::npos)
        return false;
      if (code_[i].kind == TokenKind::kText && code_.is(i + 1, "(") && function_of(code_.text(i)).empty())
        return false;
    }
    return true;
  }

  /// Sections become arguments: the text, the outputs, the inputs. Clobbers go.
  void rewrite(Edits& edits) const {
    static constexpr std::array<const char*, 3> kNext = {", GEMMLAB_PTX_OPERANDS(",
                                                         "), GEMMLAB_PTX_OPERANDS(", ")"};
    for (std::size_t i = open_ + 4; i < close_; ++i) {  // names that the text does not use
      const bool operand = code_[i].kind == TokenKind::kText && code_.is(i + 1, "(");
      if (operand && code_.is(i - 1, "]") && code_.is(i - 3, "["))
        edits.replace(code_[i - 3].begin, code_[i - 1].end, "");
    }
    std::size_t section = 0;
    for (const Colons& each : colons_) {
      if (section >= 3) break;
      std::string text;
      for (int n = 0; n < each.count && section < 3; ++n) text += kNext[section++];
      std::size_t end = code_[each.at].end;
      if (section == 3) {
        end = code_[close_].begin;
        text += code_.line_ends(code_[each.at].begin, end, code_[open_].macro);
      }
      edits.replace(code_[each.at].begin, end, text);
    }
    std::string rest;
    while (section < 3) rest += kNext[section++];
    if (!rest.empty()) edits.replace(code_[close_].begin, code_[close_].begin, rest);
  }

 private:
  struct Colons {
    std::size_t at;
    int count;
  };

  const Code& code_;
  std::size_t open_;
  std::size_t close_;
  std::vector<Colons> colons_;
};

/// All of a source: `asm`, and uses of macros whose text is `asm(__VA_ARGS__)`.
class Assembly {
 public:
  explicit Assembly(const Code& code) : code_(code) {
    for (std::size_t i = 0; i < code.size(); ++i) {
      const std::size_t open = open_of(i);
      if (open != kNone && code.is(open + 1, "__VA_ARGS__") && code.is(open + 2, ")"))
        macros_.insert(macro_of(code, i));
    }
  }

  void rewrite(Edits& edits) {
    bool any = false;
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const std::size_t open = open_of(i);
      const bool use = open == kNone && code_[i].kind == TokenKind::kWord &&
                       macros_.count(std::string(code_.text(i))) > 0 && code_.is(i + 1, "(") &&
                       code_.partner(i + 1) != kNone;
      if (open != kNone && is_empty(open)) {
        rewrite_empty(code_, open, edits);
        i = code_.partner(open);
      } else if (open != kNone) {
        any = true;
        if (!statement(i, open, edits)) i = code_.partner(open);
      } else if (use) {
        Statement(code_, i + 1).rewrite(edits);
      }
    }
    if (any) operands(edits);
  }

 private:
  /// The bracket behind `asm` at `index`, where one stands there.
  std::size_t open_of(std::size_t index) const {
    static constexpr std::array<std::string_view, 3> kNames = {"asm", "__asm__", "__asm"};
    static constexpr std::array<std::string_view, 4> kQualifiers = {"volatile", "__volatile__", "goto",
                                                                    "inline"};
    if (!code_.is_word(index) || !among(kNames, code_.text(index))) return kNone;
    std::size_t open = index + 1;
    while (code_.is_word(open) && among(kQualifiers, code_.text(open))) ++open;
    return code_.is(open, "(") && code_.partner(open) != kNone ? open : kNone;
  }

  bool is_empty(std::size_t open) const {
    return code_.is(open + 1, "\"\"") &&
           (code_.is(open + 2, ":") || code_.is(open + 2, "::") || code_.is(open + 2, ")"));
  }

  /// False where it was replaced as a whole.
  bool statement(std::size_t index, std::size_t open, Edits& edits) const {
    const Statement found(code_, open);
    const std::string refused = found.refused();
    const std::size_t end = code_[code_.partner(open)].end;
    if (!refused.empty() || !found.understood()) {
      edits.replace(code_[index].begin, end,
                    "gemmlab_cannot_be_run_without_a_GPU(\"inline PTX" +
                        (refused.empty() ? std::string() : " (" + refused + ")") + "\")" +
                        code_.line_ends(code_[index].begin, end, code_[index].macro));
      return false;
    }
    edits.replace(code_[index].begin, code_[open].end,
                  "GEMMLAB_PTX(" + code_.line_ends(code_[index].begin, code_[open].end, code_[index].macro));
    if (!code_.is(open + 1, "__VA_ARGS__")) found.rewrite(edits);
    return true;
  }

  /// Constraints, which may be a macro's argument too: `ALL_OF("+f")`.
  void operands(Edits& edits) const {
    for (std::size_t i = 1; i < code_.size(); ++i) {
      const std::size_t open = open_of(i);
      if (open != kNone && is_empty(open)) i = code_.partner(open);
      if (code_[i].kind != TokenKind::kText) continue;
      const std::string function = function_of(code_.text(i));
      const bool output = function.find("_in_") == std::string::npos;
      const bool alone = output && (code_.is(i - 1, "(") || code_.is(i - 1, ",")) &&
                         (code_.is(i + 1, ")") || code_.is(i + 1, ","));
      if (!function.empty() && (alone || code_.is(i + 1, "(")))
        edits.replace(code_[i].begin, code_[i].end, function);
    }
  }

  const Code& code_;
  std::set<std::string> macros_;
};

}  // namespace

void rewrite_assembly(const Code& code, Edits& edits) {
  Assembly(code).rewrite(edits);
}

}  // namespace gemmlab::emulation
