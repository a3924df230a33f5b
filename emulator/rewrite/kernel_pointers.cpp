#include <array>

#include "emulator/rewrite/edits.h"

namespace gemmlab::emulation {
namespace {

constexpr const char* kPointer = "::gemmlab::emulation::AsPointer<";

/// `void*` or `const void*`, from the token at `index` on: where it ends; kNone for another type.
std::size_t end_of_void(const Code& code, std::size_t index) {
  std::size_t at = index;
  if (code.is(at, "const")) ++at;
  if (!code.is(at, "void")) return kNone;
  ++at;
  if (code.is(at, "const")) ++at;
  return code.is(at, "*") ? at + 1 : kNone;
}

}  // namespace

/// A pointer to a kernel as `void*` has lost what the kernel takes: the cast becomes one that notes it, `AsPointer<void*>() ->*`,
/// which binds nearly as tightly.
void rewrite_kernel_pointers(const Code& code, Edits& edits) {
  static constexpr std::array<std::string_view, 5> kBefore = {"(", ",", "=", "{", "return"};
  static constexpr std::array<std::string_view, 2> kCasts = {"reinterpret_cast", "static_cast"};
  for (std::size_t i = 1; i < code.size(); ++i) {
    if (code.is_word(i) && among(kCasts, code.text(i)) && code.is(i + 1, "<")) {
      const std::size_t end = end_of_void(code, i + 2);
      if (end == kNone || !code.is(end, ">") || !code.is(end + 1, "(")) continue;
      edits.replace(code[i].begin, code[i + 1].end, kPointer);
      edits.replace(code[end].begin, code[end].end, ">() ->* ");
    } else if (code.is(i, "(") && code.together(i, i + 1) && among(kBefore, code.text(i - 1))) {
      const std::size_t end = end_of_void(code, i + 1);
      if (end == kNone || !code.is(end, ")")) continue;
      const std::size_t next = code.is(end + 1, "&") ? end + 2 : end + 1;
      if (!code.is_word(next) || !code.together(i, next)) continue;
      edits.replace(code[i].begin, code[i].end, kPointer);
      edits.replace(code[end].begin, code[end].end, ">() ->* ");
    }
  }
}

}  // namespace gemmlab::emulation
