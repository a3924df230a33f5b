#include <algorithm>
#include <array>
#include <optional>

#include "emulator/rewrite/edits.h"

namespace gemmlab::emulation {
namespace {

bool is_qualifier(std::string_view word) {
  return among<6>({"const", "volatile", "typename", "struct", "class", "union"}, word);
}

/// Words that are a type by themselves.
bool is_builtin(std::string_view word) {
  return among<14>({"unsigned", "signed", "long", "short", "int", "char", "float", "double", "bool",
                    "wchar_t", "char16_t", "char32_t", "__int128", "void"},
                   word);
}

/// Words that say where a variable lives, which the reference that takes its place does not.
bool is_storage(std::string_view word) {
  return among<5>({"__shared__", "extern", "static", "__device__", "inline"}, word);
}

bool is_alignment(std::string_view word) {
  return among<3>({"alignas", "__align__", "__attribute__"}, word);
}

struct Declarator {
  std::string prefix;  // pointer signs
  std::size_t name;
  std::size_t end;  // behind its dimensions
};

/// One declaration, from its first specifier to the `;`.
class Declaration {
 public:
  /// `word` is the `__shared__`.
  Declaration(const Code& code, std::size_t word) : code_(code), word_(word) {}

  /// False where it is not one that is understood.
  bool read() {
    first_ = word_;
    while (code_.together(first_ - 1, word_) && !begins_after(first_ - 1)) {
      --first_;
      if (code_.is(first_, ")")) first_ = code_.partner(first_);
    }
    end_ = word_;
    while (code_.together(end_, word_) && !code_.is(end_, ";")) {
      const std::size_t partner = code_.partner(end_);
      if (partner != kNone && partner < end_) return false;  // a parameter, not a declaration
      end_ = (partner == kNone ? end_ : partner) + 1;
    }
    std::size_t at = first_;
    if (!read_type(at)) return false;
    while (at < end_) {
      if (!read_declarator(at)) return false;
      if (at < end_ && !code_.is(at++, ",")) return false;
    }
    return at == end_ && !declarators_.empty();
  }

  void rewrite(bool in_function, Edits& edits) const {
    const Token& word = code_[word_];
    std::string text = body_.empty() ? "" : body_ + " ";
    std::size_t done = code_[first_].begin;
    for (std::size_t i = 0; i < declarators_.size(); ++i) {
      const Declarator& each = declarators_[i];
      text += code_.line_ends(done, code_[each.name].begin, word.macro);
      text += (in_function ? "" : "static ") + variable(each);
      if (i + 1 < declarators_.size()) text += "; ";
      done = code_[each.end - 1].end;
    }
    const std::size_t last = code_[end_ - 1].end;
    edits.replace(code_[first_].begin, last, text + code_.line_ends(done, last, word.macro));
  }

 private:
  /// Whether a declaration begins behind this token.
  bool begins_after(std::size_t i) const {
    if (code_[i].kind == TokenKind::kDirective || code_[i].kind == TokenKind::kText) return true;
    if (code_.is(i, ")")) {
      const std::size_t open = code_.partner(i);
      return open == kNone || !code_.is_word(open - 1) || !is_alignment(code_.text(open - 1));
    }
    static constexpr std::array<std::string_view, 6> kSigns = {";", "{", "}", ":", "else", "do"};
    return among(kSigns, code_.text(i));
  }

  /// Whether a round bracket with its partner begins there.
  bool opens(std::size_t at) const { return code_.is(at, "(") && code_.partner(at) != kNone; }

  /// Reads `alignas(n)`, `__align__(n)` or `__attribute__((aligned(n)))` at `at`.
  bool read_alignment(std::size_t& at) {
    if (!code_.is_word(at) || !is_alignment(code_.text(at)) || !opens(at + 1)) return false;
    const std::size_t close = code_.partner(at + 1);
    std::size_t open = at + 1;
    if (code_.is(at, "__attribute__")) {
      open = at + 4;
      if (!code_.is(at + 3, "aligned") || !opens(open)) return false;
    }
    alignment_ = code_.flat(open, code_.partner(open) + 1, true);
    at = close + 1;
    return true;
  }

  bool read_type(std::size_t& at) {
    bool named = false;
    while (at < end_) {
      const std::string_view text = code_.text(at);
      if (read_alignment(at)) continue;
      if (code_.is_word(at) && is_storage(text)) {
        extern_ |= text == "extern";
      } else if (code_.is_word(at) && is_qualifier(text)) {
        add_to_type(at, at + 1);
        if (code_.is(at + 1, "{") || code_.is(at + 2, "{")) {
          if (!read_body(at)) return false;
          named = true;
          continue;
        }
      } else if (code_.is_word(at) && (is_builtin(text) || (!named && text == "decltype"))) {
        if (text == "decltype" && !opens(at + 1)) return false;
        const std::size_t end = text == "decltype" ? code_.partner(at + 1) + 1 : at + 1;
        add_to_type(at, end);
        named = true;
        at = end;
        continue;
      } else if (!named && (code_.is_word(at) || code_.is(at, "::"))) {
        if (!read_type_name(at)) return false;
        named = true;
        continue;
      } else {
        return named;
      }
      ++at;
    }
    return false;
  }

  /// `struct { ... }` or `struct Name { ... }`: declared in front, under a name.
  bool read_body(std::size_t& at) {
    const std::size_t open = code_.is(at + 1, "{") ? at + 1 : at + 2;
    const std::size_t close = code_.partner(open);
    if (close == kNone) return false;
    const std::string keyword(code_.text(at));
    const std::string name =
        open == at + 2 ? std::string(code_.text(at + 1)) : "gemmlab_" + keyword + "_" + std::to_string(word_);
    body_ = keyword + " " + name + " " + code_.flat(open, close + 1, true) + ";";
    type_.replace(type_.rfind(keyword), keyword.size(), name);
    at = close + 1;
    return true;
  }

  bool read_type_name(std::size_t& at) {
    const std::size_t begin = at;
    for (;;) {
      while (code_.is(at, "::") || code_.is(at, "template")) ++at;
      if (!code_.is_word(at)) return false;
      ++at;
      if (code_.is(at, "<")) {
        const std::size_t close = code_.end_of_arguments(at);
        if (close == kNone) return false;
        at = close + 1;
      }
      if (!code_.is(at, "::")) break;
    }
    add_to_type(begin, at);
    return true;
  }

  void add_to_type(std::size_t begin, std::size_t end) {
    if (!type_.empty()) type_ += ' ';
    type_ += code_.flat(begin, end, true);
  }

  bool read_declarator(std::size_t& at) {
    Declarator read;
    while (code_.is(at, "*") || code_.is(at, "const") || code_.is(at, "volatile")) {
      read.prefix += code_.is(at, "*") ? "*" : " " + std::string(code_.text(at)) + " ";
      ++at;
    }
    while (read_alignment(at)) continue;
    if (!code_.is_word(at)) return false;
    read.name = at++;
    while (code_.is(at, "[")) {
      if (code_.partner(at) == kNone) return false;
      at = code_.partner(at) + 1;
    }
    read.end = at;
    while (read_alignment(at)) continue;
    declarators_.push_back(read);
    return true;
  }

  /// The reference or pointer that takes the variable's place.
  std::string variable(const Declarator& each) const {
    const std::string name(code_.text(each.name));
    const std::string place = "(" + code_.literal(each.name, each.name + 1) + ", __LINE__)";
    std::string type = type_ + each.prefix;
    std::size_t at = each.name + 1;
    const bool dynamic = extern_ && code_.is(at, "[") && code_.partner(at) == at + 1;
    if (dynamic) {
      type += code_.line_ends(code_[each.name].end, code_[at + 1].end, code_[at].macro);
      at += 2;
    }
    while (at < each.end) {
      const Token& open = code_[at];
      const Token& close = code_[code_.partner(at)];
      // In brackets, since a `>` within would end the template's arguments.
      type += code_.line_ends(code_[at - 1].end, open.begin, open.macro);
      type += "[(" + code_.source().substr(open.end, close.begin - open.end) + ")]";
      at = code_.partner(at) + 1;
    }
    if (dynamic) {
      return "auto* const " + name + " = ::gemmlab::emulation::dynamic_shared<" + type + ">" + place;
    }
    const std::string alignment = alignment_.empty() ? "" : ", " + alignment_;
    return "auto& " + name + " = ::gemmlab::emulation::shared<" + type + ", __COUNTER__" + alignment + ">" +
           place;
  }

  const Code& code_;
  std::size_t word_;
  std::size_t first_ = 0;
  std::size_t end_ = 0;
  bool extern_ = false;
  std::string type_;
  std::string body_;  // of a struct that is declared along with its variable
  std::string alignment_;
  std::vector<Declarator> declarators_;
};

/// Whether the `{` at index opens a namespace or a linkage, not a function's body.
bool is_namespace(const Code& code, std::size_t index) {
  if (code[index - 1].kind == TokenKind::kText) return code.is(index - 2, "extern");
  std::size_t at = index - 1;
  while (code.is_word(at) && !code.is(at, "namespace") &&
         (code.is(at - 1, "::") || code.is(at - 1, "inline")))
    at -= 2;
  return code.is(at, "namespace") || code.is(at - 1, "namespace");
}

}  // namespace

void rewrite_shared_declarations(const Code& code, Edits& edits) {
  std::vector<bool> functions;  // of each open bracket: whether it is part of a function
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool paired = code[i].macro == 0 && code.partner(i) != kNone;
    if (paired && code.is(i, "{")) functions.push_back(i == 0 || !is_namespace(code, i));
    if (paired && code.is(i, "}")) functions.pop_back();
    if (!code.is(i, "__shared__")) continue;
    const bool in_function =
        code[i].macro != 0 || std::find(functions.begin(), functions.end(), true) != functions.end();
    Declaration declaration(code, i);
    if (declaration.read()) declaration.rewrite(in_function, edits);
  }
}

}  // namespace gemmlab::emulation
