#include "emulator/runtime/run.h"

// of the library or program that holds this
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

namespace gemmlab::emulation {

std::uint32_t place_of(const void* return_address) {
  const char* const at = static_cast<const char*>(return_address);
  if (at < __ehdr_start || at >= _end) return 0;  // another library's call, whose lines are not ours
  // one byte back: within the call, so that the line is the call's
  return static_cast<std::uint32_t>(at - 1 - __ehdr_start);
}

}  // namespace gemmlab::emulation
