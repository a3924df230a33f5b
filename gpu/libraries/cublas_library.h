#pragma once

// Opens cuBLAS and cublasLt at run time: a build without them still starts.

#include "gpu/device/dynamic_library.h"

namespace gemmlab::gpu {

/// cuBLAS' two libraries: "libcublas" or "libcublasLt" of the CUDA that this was built with, else
/// of a neighbour.
const DynamicLibrary& cublas_library();
const DynamicLibrary& cublaslt_library();

/// Throws std::runtime_error with the call's name where a status of cuBLAS or cublasLt is not success (0).
void check_cublas(int status, const char* call);

}  // namespace gemmlab::gpu
