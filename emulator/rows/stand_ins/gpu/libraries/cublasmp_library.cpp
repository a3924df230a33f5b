// In the place of gpu/libraries/cublasmp_library.cpp where kernels run on a CPU: none knows these cards, but one that a test plants
// ($GEMMLAB_EMULATED_CUBLASMP), which is given the emulator's copies and events.

#include "gpu/libraries/cublasmp_library.h"

#include <cstdlib>

#include "emulator/planted_runtime.h"

namespace gemmlab::gpu {

const DynamicLibrary& cublasmp_library() {
  static const DynamicLibrary library = [] {
    const char* const planted = std::getenv("GEMMLAB_EMULATED_CUBLASMP");
    DynamicLibrary found({planted == nullptr ? "libcublasmp of emulated cards" : planted});
    emulation::give_runtime(found);
    return found;
  }();
  return library;
}

}  // namespace gemmlab::gpu
