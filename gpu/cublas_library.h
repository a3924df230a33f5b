#pragma once

#include <string>

#include "gpu/dynamic_library.h"

namespace gemmlab::gpu {

/// cuBLAS' two libraries: "libcublas" or "libcublasLt" of the CUDA that this was built with, else of a
/// neighbour.
const DynamicLibrary& cublas_library();
const DynamicLibrary& cublaslt_library();

/// "13.1.0" of 130100, as both number their versions.
std::string library_version(int number);

}  // namespace gemmlab::gpu
