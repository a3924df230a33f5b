#pragma once

// Copies of transposed operands, since the kernels read rows alone.

#include <cstdint>

namespace gemmlab::gpu {

/// to[col·to_stride + row] = from[row·from_stride + col] for a row-major matrix (rows, cols). The rest of each
/// row of `to`, as far as the next multiple of 64 floats, becomes 0: it is read in whole fours. Reads and writes
/// each element once: 8 bytes of traffic an element.
void launch_transpose(float* to, std::int64_t to_stride, const float* from, std::int64_t from_stride,
                      std::int64_t rows, std::int64_t cols);

}  // namespace gemmlab::gpu
