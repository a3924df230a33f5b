#pragma once

// Where implementations put their work, which decides what a clock surrounds.

#include <cuda_runtime.h>

namespace gemmlab::gpu {

/// The stream that implementations put their work into: the backend's while there is one, else the one of
/// use_stream(), else the default stream.
cudaStream_t current_stream();

}  // namespace gemmlab::gpu
