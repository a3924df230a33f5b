#include "emulator/runtime/run.h"

extern const char __ehdr_start[]
    __attribute__((visibility("hidden")));  // of the library or program that holds this

namespace gemmlab::emulation {

std::uint32_t place_of(const void* return_address) {
  // one byte back: within the call, so that the line is the call's
  return static_cast<std::uint32_t>(static_cast<const char*>(return_address) - 1 - __ehdr_start);
}

}  // namespace gemmlab::emulation
