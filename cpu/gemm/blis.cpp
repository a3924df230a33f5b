#include <cstdint>
#include <stdexcept>

#include "cpu/gemm/library_row.h"

namespace gemmlab::cpu {
namespace {

Library& blis_library() {
  static Library library(
      {.name = "BLIS",
       .environment = "GEMMLAB_BLIS",
       // the OpenMP build first: the pthread one makes its threads anew each call, and two that spin on one
       // core cost it 13 ms at 512 on two cores (17 against 231 GFLOP/s)
       .files = {"blis-openmp/libblis.so.4", "blis-pthread/libblis.so.4", "libblis.so.4", "libblis.so.5"},
       .advice = "apt install libblis4-openmp"});
  return library;
}

using ArchitectureName = const char*(int);

/// BLIS' own number for an architecture's name; they change between versions.
int architecture_id(ArchitectureName* name_of, const std::string& wanted) {
  for (int id = 0; id < 64; ++id) {
    const std::string name = name_of(id);
    if (name == wanted) return id;
    if (name == "generic") break;  // the last of the list
  }
  throw std::runtime_error("this BLIS has no kernel for " + wanted);
}

/// BLIS reads BLIS_ARCH_TYPE at its first use, which is therefore made here.
LoadedBlas open(const std::string& kernel) {
  Library& library = blis_library();
  auto* name_of = library.symbol<ArchitectureName>("bli_arch_string", kernel);
  std::optional<std::string> id;
  if (kernel != kAutomaticKernel) id = std::to_string(architecture_id(name_of, kernel));
  const Setting setting("BLIS_ARCH_TYPE", id);
  library.symbol<void()>("bli_init", kernel)();
  auto* set_threads = library.symbol<void(std::int64_t)>("bli_thread_set_num_threads", kernel);
  auto* get_threads = library.symbol<std::int64_t()>("bli_thread_get_num_threads", kernel);
  LoadedBlas opened = {.library = &library,
                       .load = kernel,
                       .set_threads = set_threads,
                       .get_threads = [get_threads] { return static_cast<int>(get_threads()); },
                       .version = library.symbol<const char*()>("bli_info_get_version_str", kernel)(),
                       .kernel = name_of(library.symbol<int()>("bli_arch_query_id", kernel)())};
  if (id && opened.kernel != kernel) {
    throw std::runtime_error("BLIS was asked for its " + kernel + " kernel and took " + opened.kernel);
  }
  return opened;
}

}  // namespace

/// BLIS 0.9 does not know newer Xeons and falls back to AVX2 there (105 against 161 GFLOP/s at 1023 on one
/// thread), so the kernel is chosen here by what the processor can do; `auto` leaves it to BLIS.
const Blas& blis_blas() {
  static const Blas blas = {.id = "blis",
                            .name = "BLIS",
                            .source = "BLIS, github.com/flame/blis",
                            .library = blis_library,
                            .open = open,
                            .parameters = {kernel_parameter("haswell", "skx")}};
  return blas;
}

const Implementation& blis() {
  static const CblasGemm row(blis_blas(), "");
  return row;
}

}  // namespace gemmlab::cpu
