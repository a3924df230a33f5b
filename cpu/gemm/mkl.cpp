#include <dlfcn.h>

#include "cpu/gemm/library_row.h"

namespace gemmlab::cpu {
namespace {

// From mkl_service.h.
constexpr int kThreadingGnu = 3;
constexpr int kInterfaceLp64 = 0;
struct Version {
  int major;
  int minor;
  int update;
  char* product_status;
  char* build;
  char* processor;
  char* platform;
};

Library& mkl_library() {
  // the single dynamic library, which loads the rest
  static Library library({.name = "MKL",
                          .environment = "GEMMLAB_MKL",
                          .files = {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"},
                          .advice = "./gemmlab peers installs it",
                          .peer = "libmkl_rt.so.3"});
  return library;
}

/// MKL's layer for GNU's OpenMP names no runtime of its own and takes what the process shows to all. A program
/// does; a module of Python's, which is opened for itself alone, does not.
void show_openmp() {
  dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

/// Before any other call: 32-bit integers, and the OpenMP runtime that this process already has.
LoadedBlas open(const std::string&) {
  show_openmp();
  Library& library = mkl_library();
  library.symbol<int(int)>("MKL_Set_Interface_Layer")(kInterfaceLp64);
  library.symbol<int(int)>("MKL_Set_Threading_Layer")(kThreadingGnu);
  Version version{};
  library.symbol<void(Version*)>("MKL_Get_Version")(&version);
  return {.library = &library,
          .set_threads = library.symbol<void(int)>("MKL_Set_Num_Threads"),
          .get_threads = library.symbol<int()>("MKL_Get_Max_Threads"),
          .version = std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
                     std::to_string(version.update) + " build " + version.build,
          .kernel = version.processor};
}

}  // namespace

const Blas& mkl_blas() {
  static const Blas blas = {.id = "mkl",
                            .name = "MKL",
                            .source = "Intel oneAPI Math Kernel Library",
                            .library = mkl_library,
                            .open = open};
  return blas;
}

const Implementation& mkl() {
  static const CblasGemm row(mkl_blas(), "");
  return row;
}

}  // namespace gemmlab::cpu
