#include "gpu/device/dynamic_library.h"

#include <dlfcn.h>
#include <link.h>

namespace gemmlab::gpu {

DynamicLibrary::DynamicLibrary(const std::vector<std::string>& names, const std::string& folder) {
  for (const std::string& name : names) {
    std::vector<std::string> paths = {name};
    if (!folder.empty()) paths.push_back(folder + "/" + name);
    for (const std::string& path : paths) {
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

void* DynamicLibrary::symbol_if_there(const char* name) const {
  return handle_ ? dlsym(handle_, name) : nullptr;
}

void* DynamicLibrary::symbol(const char* name) const {
  void* address = symbol_if_there(name);
  if (!address) throw std::runtime_error(std::string(name) + " was not found in " + (handle_ ? path_ : why_));
  return address;
}

std::string library_version(int number) {
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

}  // namespace gemmlab::gpu
