#include <utility>

#include "submissions/build/messages.h"

namespace gemmlab::submissions {

std::string hint_for(const std::string& text) {
  // Part of a message, and what to do about it; the first that fits.
  static const std::pair<const char*, const char*> hints[] = {
      {"undefined reference to",
       "no library is linked: everything that solve calls must stand in this one file"},
      {"Unresolved extern function",
       "no library is linked: every function that a kernel calls must stand in this one file"},
      {"multiple definition of", "the name is defined twice; give one of the two another name"},
      {"No such file or directory",
       "only this one file is compiled: put your own headers' contents into it, and include only what comes "
       "with the compiler"},
      {"instantiation depth exceeds", "a template uses itself without an end: give it a last case"},
      {"recursive template", "a template uses itself without an end: give it a last case"},
      {"at end of input", "a brace is opened, but never closed"},
      {"expected ';'", "a semicolon is missing, here or at the end of the line before"},
      {"expected a \";\"", "a semicolon is missing, here or at the end of the line before"},
      {"is undefined in device code",
       "what a kernel uses must be marked __device__ (or __constant__), or be given to it as a parameter"},
      {"was not declared", "the name is misspelt, declared further below, or its header is not included"},
      {"is undefined", "the name is misspelt, declared further below, or its header is not included"},
      {"does not name a type", "the name is misspelt, declared further below, or its header is not included"},
      {"invalid conversion from", "the file is compiled as C++, which wants this conversion written out"},
      {"uses too much shared data", "a block's shared memory is too large: use smaller tiles"},
      {"calling a __host__ function", "a kernel can call only functions marked __device__"},
      {"symbolic operand reference", "nvcc takes operands of asm by number alone: %0, %1 ..."},
      {"operands of asm by number", "the outputs are counted first, from 0, then the inputs"},
      {"asm operand",
       "PTX's constraints are h (16 bits), r and f (32), l and d (64) and n, each for a value of just that "
       "type; = or + "
       "stands before an output, and one that is read as well is \"+r\"(x)"},
      {"asm constraint letter", "PTX's constraints are h (16 bits), r and f (32), l and d (64) and n"},
      {"no such instruction", "the assembler does not know this instruction of an asm statement"},
      {"ran out of memory",
       "use fewer and smaller templates, unrolled loops and constant arrays; does one of them never end?"},
      {"nsupported gpu architecture",
       "the CUDA toolkit of this machine does not know its GPU: this is nothing that your file could change"},
      {"is not defined for option 'gpu",
       "the CUDA toolkit of this machine does not know its GPU: this is nothing that your file could change"},
      {"File size limit",
       "constant arrays with initial values make the library this large: fill them in solve"},
  };
  for (const auto& [part, hint] : hints) {
    if (text.find(part) != std::string::npos) return hint;
  }
  return "see the compiler's messages; the first error often causes those after it";
}

}  // namespace gemmlab::submissions
