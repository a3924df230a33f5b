#include "emulator/compile.h"

#include <iterator>

#include "emulation_flags.h"

namespace gemmlab::emulation {

std::vector<std::string> emulation_flags() {
  std::vector<std::string> flags(std::begin(kEmulationFlags), std::end(kEmulationFlags));
#if defined(__x86_64__)
  if (__builtin_cpu_supports("fma")) flags.emplace_back("-mfma");
#endif
  return flags;
}

}  // namespace gemmlab::emulation
