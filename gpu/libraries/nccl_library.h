#pragma once

// Opens NCCL at run time.

#include "gpu/device/dynamic_library.h"

namespace gemmlab::gpu {

/// libnccl.so.2: the file that $GEMMLAB_NCCL names, else that of the loader's path, of the toolkit that this was built with, or of
/// pip's package nvidia-nccl.
const DynamicLibrary& nccl_library();

}  // namespace gemmlab::gpu
