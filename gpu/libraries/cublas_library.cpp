#include "gpu/libraries/cublas_library.h"

#include <cuda_runtime.h>

#include <stdexcept>
#include <vector>

namespace gemmlab::gpu {
namespace {

std::vector<std::string> versioned(const std::string& stem) {
  constexpr int kOurs = CUDART_VERSION / 1000;
  std::vector<std::string> names = {stem + ".so." + std::to_string(kOurs)};
  for (int version = 13; version >= 12; --version) {
    if (version != kOurs) names.push_back(stem + ".so." + std::to_string(version));
  }
  return names;
}

}  // namespace

void check_cublas(int status, const char* call) {
  if (status == 0) return;
  throw std::runtime_error(std::string(call) + " answered cublasStatus " + std::to_string(status));
}

const DynamicLibrary& cublaslt_library() {
  static const DynamicLibrary library(versioned("libcublasLt"), GEMMLAB_CUDA_LIBRARY_DIR);
  return library;
}

const DynamicLibrary& cublas_library() {
  // libcublas needs libcublasLt of its own version, and finds it already loaded wherever that came from
  cublaslt_library();
  static const DynamicLibrary library(versioned("libcublas"), GEMMLAB_CUDA_LIBRARY_DIR);
  return library;
}

}  // namespace gemmlab::gpu
