// S is stored as (K, length), its rows at multiples of 16 bytes; one vector: a row of C = a row of A times B.
//
// Limit: memory. Blocks of 512 threads take 32 columns, 128 bytes of each row, as k_down_rows.cu's narrow ones. The vector's
// elements are read beside S's rows and not staged in shared memory, which a block would wait for as one. Seen at
// 4096 × 4096 on an H200: 17.7 us; staged 19.1; a gemv in 16 parts of K 18.6, in 8 parts 18.2; cuBLAS 18.0.

#include "gpu/gemm/thin/finish.h"
#include "gpu/gemm/thin/four_floats.h"
#include "gpu/gemm/thin/plan.h"

namespace gemmlab::gpu::thin {
namespace {

constexpr int kThreads = 512;
constexpr int kAcross = 8;  // threads side by side, four columns each
constexpr int kDeep = kThreads / kAcross;
constexpr int kResults = kAcross * kFour;
constexpr int kWarps = kThreads / kWarp;
constexpr int kUnroll = 8;  // rows of S that a thread has in flight, and as many that it works on
constexpr int kBatch = kDeep * kUnroll;

/// A thread's rows of S and the vector's elements there, in order.
struct Rows {
  const float* from;
  std::int64_t step;
  const float* factor;
  std::int64_t factor_step;
  int left;     ///< of K
  bool inside;  ///< are the thread's columns?

  __device__ void load(float4 (&rows)[kUnroll], float (&factors)[kUnroll]) {
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
      const bool there = inside && i * kDeep < left;
      rows[i] = there ? __ldcs(reinterpret_cast<const float4*>(from)) : make_float4(0, 0, 0, 0);
      factors[i] = there ? __ldg(factor) : 0;
      from += step;
      factor += factor_step;
    }
    left -= kBatch;
  }
};

__device__ void multiply(float (&sums)[kFour], const float4 (&rows)[kUnroll],
                         const float (&factors)[kUnroll]) {
#pragma unroll
  for (int i = 0; i < kUnroll; ++i) {
    sums[0] += factors[i] * rows[i].x;
    sums[1] += factors[i] * rows[i].y;
    sums[2] += factors[i] * rows[i].z;
    sums[3] += factors[i] * rows[i].w;
  }
}

__global__ void __launch_bounds__(kThreads, 1) row_kernel(const Arguments arguments) {
  __shared__ float all[kWarps][kResults];
  const Place place = place_of(arguments);
  const int first = place.group * kResults;
  const Range range = range_of(arguments, place, kBatch);
  const int down = threadIdx.x / kAcross;
  const int col = threadIdx.x % kAcross * kFour;
  const std::int64_t k0 = range.begin + down;
  Rows source{arguments.large + k0 * arguments.stride + first + col,
              kDeep * arguments.stride,
              arguments.vectors + k0 * arguments.vector_step,
              kDeep * arguments.vector_step,
              range.end - range.begin - down,
              first + col < arguments.readable};

  float sums[kFour] = {};
  float4 rows[2][kUnroll];
  float factors[2][kUnroll];
  source.load(rows[0], factors[0]);
  for (int k = range.begin; k < range.end; k += 2 * kBatch) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      source.load(rows[1 - half], factors[1 - half]);
      multiply(sums, rows[half], factors[half]);
    }
  }
#pragma unroll
  for (int i = 0; i < kFour; ++i) {
    float sum = sums[i];
#pragma unroll
    for (int distance = kAcross; distance < kWarp; distance *= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (threadIdx.x % kWarp < kAcross) all[threadIdx.x / kWarp][col + i] = sum;
  }
  __syncthreads();
  if (threadIdx.x < kResults) {
    float sum = all[0][threadIdx.x];
#pragma unroll
    for (int warp = 1; warp < kWarps; ++warp) sum += all[warp][threadIdx.x];
    all[0][threadIdx.x] = sum;
  }
  finish<kThreads, 1, kResults>(arguments, &all[0][0], place, first);
}

}  // namespace

Plan plan_row() {
  return {row_kernel, kThreads, 1, kResults, 1, kBatch};
}

}  // namespace gemmlab::gpu::thin
