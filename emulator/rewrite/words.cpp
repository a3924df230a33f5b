#include <array>

#include "emulator/rewrite/edits.h"

namespace gemmlab::emulation {

void rewrite_allocations(const Code& code, Edits& edits) {
  static constexpr std::array<std::string_view, 2> kMakers = {"malloc", "calloc"};
  for (std::size_t i = 1; i < code.size(); ++i) {
    if (!code.is_word(i) || !code.is(i + 1, "(")) continue;
    const bool makes = among(kMakers, code.text(i));
    if (!makes && !code.is(i, "free")) continue;
    const bool standard = code.is(i - 1, "::");
    const bool named = standard && code.is_word(i - 2);
    if (code.is(i - 1, ".") || code.is(i - 1, "->") || code.is(i - 1, "~") ||
        (named && !code.is(i - 2, "std")))
      continue;
    if (code.is_word(i - 1) && !code.is(i - 1, "return")) continue;  // declared
    const std::size_t begin = named ? code[i - 2].begin : standard ? code[i - 1].begin : code[i].begin;
    edits.replace(begin, code[i].end,
                  makes ? "::gemmlab::emulation::allocate_here" : "::gemmlab::emulation::free_here");
  }
}

void rewrite_objects(const Code& code, Edits& edits) {
  for (std::size_t i = 1; i < code.size(); ++i) {
    if (code.is(i - 1, "operator") || (code.is(i - 1, "=") && code.is(i, "delete") && code.is(i + 1, ";")))
      continue;
    const bool standard = code.is(i - 1, "::");
    if (code.is(i, "new") && (code.is_word(i + 1) || code.is(i + 1, "::")) && code.together(i, i + 1) &&
        !standard) {
      edits.replace(code[i].begin, code[i].end, "new (::gemmlab::emulation::kHere)");
    } else if (code.is(i, "delete") && code.together(i, i + 1) && !standard) {
      const bool array = code.is(i + 1, "[") && code.is(i + 2, "]");
      edits.replace(code[i].begin, code[array ? i + 2 : i].end,
                    array ? "::gemmlab::emulation::Deleted<true>() ->* "
                          : "::gemmlab::emulation::Deleted<false>() ->* ");
    }
  }
}

void rewrite_attributes(const Code& code, Edits& edits) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool in_attribute = i > 0 && (code.is(i - 1, "(") || code.is(i - 1, ","));
    if (!in_attribute && code.is(i, "__noinline__")) {
      edits.replace(code[i].begin, code[i].end, "__attribute__((noinline))");
    }
  }
}

}  // namespace gemmlab::emulation
