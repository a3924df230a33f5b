#include "core/rounding.h"
#include "gpu/gemm/pipelined/pad_rows.h"
#include "gpu/gemm/register_tile.h"
#include "gpu/launch.h"

namespace gemmlab::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kFoursAThread = 2;

/// Four floats of the copy at a time. Its reads are of 4 bytes, a warp's four of them of the same sectors.
__global__ void __launch_bounds__(kThreads) pad_rows(float* to, const float* from, unsigned fours,
                                                     unsigned fours_a_row, int length, std::int64_t stride) {
  const unsigned first = blockIdx.x * (kThreads * kFoursAThread) + threadIdx.x;
  float values[kFoursAThread][kVector];
#pragma unroll
  for (int n = 0; n < kFoursAThread; ++n) {
    const unsigned four = first + n * kThreads;
    const unsigned row = four / fours_a_row;
    const int col = static_cast<int>(four - row * fours_a_row) * kVector;
    const float* of_row = from + row * stride;
#pragma unroll
    for (int i = 0; i < kVector; ++i) values[n][i] = four < fours && col + i < length ? of_row[col + i] : 0;
  }
#pragma unroll
  for (int n = 0; n < kFoursAThread; ++n) {
    const unsigned four = first + n * kThreads;
    if (four < fours)
      reinterpret_cast<float4*>(to)[four] =
          make_float4(values[n][0], values[n][1], values[n][2], values[n][3]);
  }
}

}  // namespace

void launch_pad_rows(float* to, const float* from, std::int64_t rows, std::int64_t length,
                     std::int64_t stride) {
  const std::int64_t fours_a_row = padded_row(length) / kVector;
  const std::int64_t fours = rows * fours_a_row;
  constexpr std::int64_t kFoursABlock = kThreads * kFoursAThread;
  launch(pad_rows, ceil_div(fours, kFoursABlock), dim3(kThreads), 0, to, from, static_cast<unsigned>(fours),
         static_cast<unsigned>(fours_a_row), static_cast<int>(length), stride);
}

}  // namespace gemmlab::gpu
