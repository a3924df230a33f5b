#include "core/rounding.h"
#include "gpu/device/launch.h"
#include "gpu/gemm/pipelined/pad_rows.h"
#include "gpu/gemm/register_tile.h"

namespace gemmlab::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kVectorsPerThread = 2;

/// Four floats of the copy at a time. Its reads are of 4 bytes, a warp's four of them of the same sectors.
__global__ void __launch_bounds__(kThreads)
    pad_rows(float* to, const float* from, unsigned vectors, unsigned vectors_per_row, int length,
             std::int64_t stride) {
  const unsigned first = blockIdx.x * (kThreads * kVectorsPerThread) + threadIdx.x;
  float values[kVectorsPerThread][kVector];
#pragma unroll
  for (int n = 0; n < kVectorsPerThread; ++n) {
    const unsigned vector = first + n * kThreads;
    const unsigned row = vector / vectors_per_row;
    const int col = static_cast<int>(vector - row * vectors_per_row) * kVector;
    const float* of_row = from + row * stride;
#pragma unroll
    for (int i = 0; i < kVector; ++i)
      values[n][i] = vector < vectors && col + i < length ? of_row[col + i] : 0;
  }
#pragma unroll
  for (int n = 0; n < kVectorsPerThread; ++n) {
    const unsigned vector = first + n * kThreads;
    if (vector < vectors)
      reinterpret_cast<float4*>(to)[vector] =
          make_float4(values[n][0], values[n][1], values[n][2], values[n][3]);
  }
}

}  // namespace

void launch_pad_rows(float* to, const float* from, std::int64_t rows, std::int64_t length,
                     std::int64_t stride) {
  const std::int64_t vectors_per_row = padded_row(length) / kVector;
  const std::int64_t vectors = rows * vectors_per_row;
  constexpr std::int64_t kVectorsPerBlock = kThreads * kVectorsPerThread;
  launch(pad_rows, ceil_div(vectors, kVectorsPerBlock), dim3(kThreads), 0, to, from,
         static_cast<unsigned>(vectors), static_cast<unsigned>(vectors_per_row), static_cast<int>(length),
         stride);
}

}  // namespace gemmlab::gpu
