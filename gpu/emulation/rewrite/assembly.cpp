#include <algorithm>
#include <array>

#include "gpu/emulation/rewrite/edits.h"

namespace gemmlab::emulation {
void rewrite_assembly(const Code& code, Edits& edits) {
  static constexpr std::array<std::string_view, 3> kNames = {"asm", "__asm__", "__asm"};
  static constexpr std::array<std::string_view, 4> kQualifiers = {"volatile", "__volatile__", "goto",
                                                                  "inline"};
  const auto any = [](const auto& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code.is_word(i) || !any(kNames, code.text(i))) continue;
    std::size_t open = i + 1;
    while (code.is_word(open) && any(kQualifiers, code.text(open))) ++open;
    if (!code.is(open, "(") || code.partner(open) == kNone) continue;
    const std::size_t end = code[code.partner(open)].end;
    edits.replace(code[i].begin, end,
                  "gemmlab_cannot_be_run_without_a_GPU(\"inline PTX\")" +
                      code.line_ends(code[i].begin, end, code[i].macro));
  }
}

}  // namespace gemmlab::emulation
