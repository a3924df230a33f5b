#include "api/blas/next.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace gemmlab::blas {
namespace {

constexpr const char* kBlas[] = {"libblas.so.3", "libopenblas.so.0", "libopenblas.so", "libmkl_rt.so.3",
                                 "libmkl_rt.so.2"};
constexpr const char* kCublas[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};
constexpr const char* kCublasLt[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"};

bool begins(const char* name, const char* with) {
  return std::strncmp(name, with, std::strlen(with)) == 0;
}

template <typename Names>
void* find_in(const Names& names, const char* name) {
  // one that is loaded already goes first: the program's own may lie outside what dlsym looks through
  for (const int mode : {RTLD_LAZY | RTLD_NOLOAD, RTLD_LAZY | RTLD_LOCAL}) {
    for (const char* file : names) {
      void* const library = dlopen(file, mode);
      if (library == nullptr) continue;
      if (void* const address = dlsym(library, name)) return address;
    }
  }
  return nullptr;
}

}  // namespace

void* next_address(const char* name) {
  if (void* const address = dlsym(RTLD_NEXT, name)) return address;
  if (begins(name, "cublasLt")) return find_in(kCublasLt, name);
  return begins(name, "cublas") ? find_in(kCublas, name) : find_in(kBlas, name);
}

void nobody_has(const char* name) {
  std::fprintf(stderr, "gemmlab: %s is passed on, and no library has it: link or preload a BLAS\n", name);
  std::abort();
}

}  // namespace gemmlab::blas
