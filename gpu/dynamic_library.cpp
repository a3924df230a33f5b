#include "gpu/dynamic_library.h"

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <link.h>

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

DynamicLibrary::DynamicLibrary(const std::vector<std::string>& names, const std::string& folder) {
  for (const std::string& name : names) {
    for (const std::string& path : {name, folder + "/" + name}) {
      handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!handle_) {
        if (why_.empty()) why_ = dlerror();
        continue;
      }
      link_map* map = nullptr;
      path_ = dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] != '\0' ? map->l_name : path;
      return;
    }
  }
}

void* DynamicLibrary::symbol(const char* name) const {
  void* address = handle_ ? dlsym(handle_, name) : nullptr;
  if (!address) throw std::runtime_error(std::string(name) + " was not found in " + (handle_ ? path_ : why_));
  return address;
}

std::string library_version(int number) {
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
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
