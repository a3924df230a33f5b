#include <array>

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

}  // namespace

void rewrite_assembly(const Code& code, Edits& edits) {
  static constexpr std::array<std::string_view, 3> kNames = {"asm", "__asm__", "__asm"};
  static constexpr std::array<std::string_view, 4> kQualifiers = {"volatile", "__volatile__", "goto",
                                                                  "inline"};
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code.is_word(i) || !among(kNames, code.text(i))) continue;
    std::size_t open = i + 1;
    while (code.is_word(open) && among(kQualifiers, code.text(open))) ++open;
    if (!code.is(open, "(") || code.partner(open) == kNone) continue;
    if (code.is(open + 1, "\"\"") &&
        (code.is(open + 2, ":") || code.is(open + 2, "::") || code.is(open + 2, ")"))) {
      rewrite_empty(code, open, edits);
      continue;
    }
    const std::size_t end = code[code.partner(open)].end;
    edits.replace(code[i].begin, end,
                  "gemmlab_cannot_be_run_without_a_GPU(\"inline PTX\")" +
                      code.line_ends(code[i].begin, end, code[i].macro));
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
