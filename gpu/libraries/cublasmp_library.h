#pragma once

// Opens cuBLASMp at run time.

#include "gpu/device/dynamic_library.h"

namespace gemmlab::gpu {

/// libcublasmp.so.0: the file that $GEMMLAB_CUBLASMP names, else that of pip's package nvidia-cublasmp or of the loader's path. With
/// it the NCCL of nccl_library() and the cuBLAS of cublas_library() are opened, whose names it asks for.
const DynamicLibrary& cublasmp_library();

}  // namespace gemmlab::gpu
