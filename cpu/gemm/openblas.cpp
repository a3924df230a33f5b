#include <strings.h>

#include <stdexcept>

#include "cpu/gemm/library_row.h"

namespace gemmlab::cpu {
namespace {

Library& openblas_library() {
  // Debian's own file before the general name, which the alternatives system may point at another BLAS
  static Library library(
      {.name = "OpenBLAS",
       .environment = "GEMMLAB_OPENBLAS",
       .files = {"openblas-pthread/libopenblas.so.0", "openblas-openmp/libopenblas.so.0", "libopenblas.so.0"},
       .advice = "apt install libopenblas0-pthread"});
  return library;
}

Library& openblas_pypi_library() {
  static Library library({.name = "OpenBLAS of PyPI",
                          .environment = "GEMMLAB_OPENBLAS_PYPI",
                          .files = {},
                          .advice = "./gemmlab peers installs it",
                          .peer = "libscipy_openblas.so"});
  return library;
}

/// `prefix`: of the names of its functions.
LoadedBlas opened(Library& library, const std::string& prefix, const std::string& kernel) {
  const bool automatic = kernel == kAutomaticKernel;
  // both are read while the library is opened
  const Setting core("OPENBLAS_CORETYPE", automatic ? std::nullopt : std::optional(kernel));
  // Idle workers spin for 2^26 cycles by default, about 25 ms, in which they take cores from whatever is
  // measured next; 2^18 is 0.1 ms, and bridges calls in a row as well as 2^20 (12.9 µs at 128 on two
  // threads either way).
  const Setting patience("OPENBLAS_THREAD_TIMEOUT", "18");
  LoadedBlas blas = {.library = &library, .load = kernel, .prefix = prefix};
  blas.set_threads = blas.symbol<void(int)>("openblas_set_num_threads");
  blas.get_threads = blas.symbol<int()>("openblas_get_num_threads");
  blas.version = blas.symbol<const char*()>("openblas_get_config")();
  blas.kernel = blas.symbol<const char*()>("openblas_get_corename")();
  if (!automatic && strcasecmp(blas.kernel.c_str(), kernel.c_str()) != 0) {
    throw std::runtime_error("OpenBLAS was asked for its " + kernel + " kernel and took " + blas.kernel +
                             "; kernel = auto takes what it has");
  }
  return blas;
}

LoadedBlas open(const std::string& kernel) {
  return opened(openblas_library(), "", kernel);
}

LoadedBlas open_pypi(const std::string& kernel) {
  return opened(openblas_pypi_library(), "scipy_", kernel);
}

std::string refuse(const GemmForm& form) {
  return form.alpha == 0 ? "its kernels for small matrices read A and B where alpha is 0" : "";
}

}  // namespace

/// OpenBLAS 0.3.21 does not know Xeons from 2023 on and falls back to its SSE3 kernel there (34 against 150
/// GFLOP/s at 1000 on one thread), so the kernel is chosen here by what the processor can do.
const Blas& openblas_blas() {
  static const Blas blas = {.id = "openblas",
                            .name = "OpenBLAS",
                            .source = "OpenBLAS, www.openblas.net",
                            .library = openblas_library,
                            .open = open,
                            .parameters = {kernel_parameter("Haswell", "SkylakeX")}};
  return blas;
}

/// Of the year, beside the one that the system ships: what the years between brought.
const Blas& openblas_pypi_blas() {
  static const Blas blas = {.id = "openblas_pypi",
                            .name = "OpenBLAS PyPI",
                            .source = "OpenBLAS, www.openblas.net, as PyPI's scipy-openblas32",
                            .library = openblas_pypi_library,
                            .open = open_pypi,
                            .parameters = {kernel_parameter("Haswell", "SkylakeX")}};
  return blas;
}

const Implementation& openblas() {
  static const CblasGemm row(openblas_blas(), "gpu.cublas", refuse);
  return row;
}

const Implementation& openblas_pypi() {
  static const CblasGemm row(openblas_pypi_blas(), "gpu.cublas", refuse);
  return row;
}

}  // namespace gemmlab::cpu
