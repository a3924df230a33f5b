// The largest magnitude of every row of A and of every column of B. As unsigned integers, bits of
// non-negative floats are ordered as the floats are, with Inf and NaN on top: one maximum answers for both.

#include <algorithm>

#include "gpu/check.h"
#include "gpu/gemm/tensor/load.h"
#include "gpu/gemm/tensor/stages.h"
#include "gpu/stream.h"

namespace gemmlab::gpu::parts {
namespace {

constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kWarp;
constexpr int kAcross = kWarp * kVector;  // columns that a warp reads at once

__device__ unsigned magnitude(float value) {
  return __float_as_uint(value) & 0x7fffffffu;
}

__device__ uint4 larger(uint4 most, float4 value) {
  return make_uint4(max(most.x, magnitude(value.x)), max(most.y, magnitude(value.y)),
                    max(most.z, magnitude(value.z)), max(most.w, magnitude(value.w)));
}

__device__ unsigned largest_of_warp(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xffffffffu, value);
#else
  for (int step = kWarp / 2; step > 0; step /= 2)
    value = max(value, __shfl_xor_sync(0xffffffffu, value, step));
  return value;
#endif
}

// A block's share of A: rows, a few for each warp, that are read four vectors a lane before the warp agrees.
constexpr int kRowsA = 4 * kWarps;
constexpr int kVectorsA = 4;
constexpr int kColsA = kVectorsA * kAcross;

__device__ void scan_rows(const float* A, int M, int K, std::int64_t tile, unsigned* largest) {
  const int tiles_across = (K + kColsA - 1) / kColsA;
  const int row0 = static_cast<int>(tile / tiles_across) * kRowsA + threadIdx.x / kWarp;
  const int col0 = static_cast<int>(tile % tiles_across) * kColsA + threadIdx.x % kWarp * kVector;
  const bool whole = whole_vectors(A, K);
#pragma unroll
  for (int i = 0; i < kRowsA / kWarps; ++i) {
    const int row = row0 + i * kWarps;
    if (row >= M) return;
    uint4 most = make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int v = 0; v < kVectorsA; ++v) {
      most = larger(most, load4(A + static_cast<std::int64_t>(row) * K, col0 + v * kAcross, K, whole));
    }
    const unsigned of_row = largest_of_warp(max(max(most.x, most.y), max(most.z, most.w)));
    if (threadIdx.x % kWarp == 0) atomicMax(&largest[row], of_row);
  }
}

// Its share of B: a warp takes every eighth row, and the eight agree through shared memory.
constexpr int kRowsB = 16 * kWarps;

__device__ void scan_columns(const float* B, int K, int N, std::int64_t tile, unsigned* largest) {
  __shared__ uint4 of_warp[kWarps][kWarp];
  const int tiles_across = (N + kAcross - 1) / kAcross;
  const int warp = threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  const int row0 = static_cast<int>(tile / tiles_across) * kRowsB + warp;
  const int col0 = static_cast<int>(tile % tiles_across) * kAcross;
  const bool whole = whole_vectors(B, N);
  uint4 most = make_uint4(0, 0, 0, 0);
#pragma unroll
  for (int i = 0; i < kRowsB / kWarps; ++i) {
    const int row = row0 + i * kWarps;
    if (row < K) {
      most = larger(most, load4(B + static_cast<std::int64_t>(row) * N, col0 + lane * kVector, N, whole));
    }
  }
  of_warp[warp][lane] = most;
  __syncthreads();
  if (threadIdx.x < kAcross && col0 + static_cast<int>(threadIdx.x) < N) {
    const unsigned* values = reinterpret_cast<const unsigned*>(of_warp);
    unsigned of_column = 0;
    for (int i = 0; i < kWarps; ++i) of_column = max(of_column, values[i * kAcross + threadIdx.x]);
    atomicMax(&largest[col0 + threadIdx.x], of_column);
  }
  __syncthreads();  // all have read of_warp before the next tile overwrites it
}

__global__ void __launch_bounds__(kThreads)
    scan_kernel(const float* A, const float* B, int M, int N, int K, std::int64_t tiles_a, std::int64_t tiles,
                unsigned* largest) {
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    if (tile < tiles_a) {
      scan_rows(A, M, K, tile, largest);
    } else {
      scan_columns(B, K, N, tile - tiles_a, largest + M);
    }
  }
}

}  // namespace

void launch_scan(const Work& work) {
  const std::int64_t tiles_a = tiles_of(work.M, kRowsA) * tiles_of(work.K, kColsA);
  const std::int64_t tiles = tiles_a + tiles_of(work.K, kRowsB) * tiles_of(work.N, kAcross);
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(tiles, 8 * work.multiprocessors));
  scan_kernel<<<blocks, kThreads, 0, current_stream()>>>(work.a, work.b, work.M, work.N, work.K, tiles_a,
                                                         tiles, work.largest);
  GEMMLAB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace gemmlab::gpu::parts
