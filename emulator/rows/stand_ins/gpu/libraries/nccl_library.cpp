// In the place of gpu/libraries/nccl_library.cpp where kernels run on a CPU: no NCCL knows these cards, but one that a test plants
// ($GEMMLAB_EMULATED_NCCL), which is given the emulator's copies and events.

#include "gpu/libraries/nccl_library.h"

#include <cstdlib>

#include "emulator/planted_runtime.h"

namespace gemmlab::gpu {

const DynamicLibrary& nccl_library() {
  static const DynamicLibrary library = [] {
    const char* const planted = std::getenv("GEMMLAB_EMULATED_NCCL");
    DynamicLibrary found({planted == nullptr ? "libnccl of emulated cards" : planted});
    emulation::give_runtime(found);
    return found;
  }();
  return library;
}

}  // namespace gemmlab::gpu
