#include "emulator/rewrite/edits.h"

namespace gemmlab::emulation {

void rewrite_attributes(const Code& code, Edits& edits) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool in_attribute = i > 0 && (code.is(i - 1, "(") || code.is(i - 1, ","));
    if (!in_attribute && code.is(i, "__noinline__")) {
      edits.replace(code[i].begin, code[i].end, "__attribute__((noinline))");
    }
  }
}

}  // namespace gemmlab::emulation
