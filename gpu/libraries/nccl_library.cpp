#include "gpu/libraries/nccl_library.h"

#include <cstdlib>

#include "gpu/libraries/python_files.h"

namespace gemmlab::gpu {
namespace {

std::vector<std::string> places() {
  const char* const chosen = std::getenv("GEMMLAB_NCCL");
  if (chosen != nullptr && *chosen != '\0') return {chosen};
  std::vector<std::string> names = {"libnccl.so.2", GEMMLAB_CUDA_LIBRARY_DIR "/libnccl.so.2"};
  for (const std::string& file : python_files("nvidia/nccl/lib/libnccl.so.2")) names.push_back(file);
  return names;
}

}  // namespace

const DynamicLibrary& nccl_library() {
  static const DynamicLibrary library = [] {
    // NVLink multicast belongs to the switch that all cards of a host share: a program that ends badly while it is on can leave
    // them unusable until they are reset. Nothing here gains by it, so it is off unless the user has asked for it.
    setenv("NCCL_NVLS_ENABLE", "0", 0);
    return DynamicLibrary(places());
  }();
  return library;
}

}  // namespace gemmlab::gpu
