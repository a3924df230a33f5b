#include <algorithm>
#include <array>

#include "emulator/rewrite/edits.h"

namespace gemmlab::emulation {
namespace {

/// Words after which a bracket or a name begins an expression of its own.
bool is_keyword(std::string_view word) {
  static constexpr std::array<std::string_view, 12> kWords = {"if",     "for",       "while",    "switch",
                                                              "return", "else",      "do",       "case",
                                                              "throw",  "co_return", "operator", "constexpr"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

/// The first token of the expression that ends before `end`: `name`, `ns::name<T>`, `(expression)`,
/// `object.pointer`, `table[i]` or `choose(x)`. kNone where there is none.
std::size_t kernel_begin(const Code& code, std::size_t end) {
  const auto joins = [&](std::size_t i) {
    return code.together(i, end) && ((code.is_word(i) && !is_keyword(code.text(i))) || code.is(i, ">"));
  };
  std::size_t at = end - 1;
  while (code.together(at, end)) {
    if (code.is(at, ">")) {
      at = code.begin_of_arguments(at);
      if (at == kNone || !joins(at - 1)) return kNone;
      --at;
    } else if (code.is(at, ")") || code.is(at, "]")) {
      const bool index = code.is(at, "]");
      at = code.partner(at);
      if (at == kNone) return kNone;
      const bool called =
          joins(at - 1) || code.is(at - 1, "]") ||
          (code.is(at - 1, ")") && code.partner(at - 1) != kNone && joins(code.partner(at - 1) - 1));
      if (!index && !called) return at;
      --at;
    } else if (code.is_word(at) && !is_keyword(code.text(at))) {
      while (code.is(at - 1, "template")) --at;
      if (!code.together(at - 1, end)) return at;
      const bool member = code.is(at - 1, ".") || code.is(at - 1, "->");
      if (!member && !code.is(at - 1, "::")) return at;
      if (!member && !joins(at - 2)) return at - 1;
      at -= 2;
    } else {
      return kNone;
    }
  }
  return kNone;
}

/// The first `>` of the `>>>` that ends a launch's configuration, kNone where there is none.
std::size_t configuration_end(const Code& code, std::size_t begin) {
  for (std::size_t i = begin + 1; code.together(i, begin); ++i) {
    if (code.partner(i) != kNone) {
      if (code.partner(i) < i) return kNone;
      i = code.partner(i);
    } else if (code.is(i, ";")) {
      return kNone;
    } else if (code.is(i, ">") && code.is(i + 1, ">") && code.is(i + 2, ">") && code.is(i + 3, "(") &&
               code[i + 2].end - code[i].begin == 3 && code.together(i + 3, begin)) {
      return i;
    }
  }
  return kNone;
}

/// NULL is a number, which no kernel takes as a pointer once it was stored.
void rewrite_null(const Code& code, std::size_t open, std::size_t close, Edits& edits) {
  for (std::size_t i = open + 1; i < close; ++i) {
    const bool alone =
        (code.is(i - 1, "(") || code.is(i - 1, ",")) && (code.is(i + 1, ")") || code.is(i + 1, ","));
    if (alone && code.is(i, "NULL")) edits.replace(code[i].begin, code[i].end, "nullptr");
  }
}

void rewrite_launch(const Code& code, std::size_t sign, Edits& edits) {
  const std::size_t first = sign == 0 ? kNone : kernel_begin(code, sign);
  const std::size_t end = configuration_end(code, sign);
  if (first == kNone || end == kNone) return;
  const std::size_t open = end + 3;
  const std::size_t close = code.partner(open);
  if (close == kNone) return;
  const int macro = code[sign].macro;
  const std::string name = code.literal(first, sign);
  edits.replace(code[first].begin, code[sign].end,
                "::gemmlab::emulation::launch_kernel({__LINE__, " + name +
                    "}, ::gemmlab::emulation::Configuration(" +
                    code.line_ends(code[first].begin, code[sign].end, macro));
  edits.replace(code[end].begin, code[open].end,
                "), ::std::make_tuple(" + code.line_ends(code[end].begin, code[open].end, macro));
  rewrite_null(code, open, close, edits);
  edits.replace(
      code[close].end, code[close].end,
      ", [=](auto&... gemmlab_arguments) { " + code.flat(first, sign, true) + "(gemmlab_arguments...); })");
}

}  // namespace

void rewrite_launches(const Code& code, Edits& edits) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code.is(i, "<<<")) rewrite_launch(code, i, edits);
  }
}

}  // namespace gemmlab::emulation
