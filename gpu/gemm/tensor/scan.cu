// The largest magnitude of every row of op(A) and of every column of op(B). As unsigned integers, bits of
// non-negative floats are ordered as the floats are, with Inf and NaN on top: one maximum answers for both.

#include <algorithm>

#include "gpu/device/check.h"
#include "gpu/device/stream.h"
#include "gpu/gemm/tensor/load.h"
#include "gpu/gemm/tensor/stages.h"

namespace gemmlab::gpu::parts {
namespace {

constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kWarp;
constexpr int kAcross = kWarp * kVector;  // columns that a warp reads at once

/// A matrix as it is stored, and whether its rows or its columns run along K.
struct Scanned {
  const float* first;
  int rows;
  int cols;
  int stride;
  bool by_rows;  ///< each row's largest magnitude is asked for; else each column's
  unsigned* largest;

  __device__ const float* row(int i) const { return first + static_cast<std::int64_t>(i) * stride; }
};

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

// A block's share of an operand whose stored rows are asked for: rows, a few for each warp, that are read
// four vectors per lane before the warp agrees.
constexpr int kRowsAlong = 4 * kWarps;
constexpr int kVectorsAlong = 4;
constexpr int kColsAlong = kVectorsAlong * kAcross;

__device__ void scan_rows(const Scanned& matrix, std::int64_t tile) {
  const int cols = matrix.cols;
  const int tiles_across = (cols + kColsAlong - 1) / kColsAlong;
  const int row0 = static_cast<int>(tile / tiles_across) * kRowsAlong + threadIdx.x / kWarp;
  const int col0 = static_cast<int>(tile % tiles_across) * kColsAlong + threadIdx.x % kWarp * kVector;
  const bool whole = whole_vectors(matrix.first, cols, matrix.stride);
#pragma unroll
  for (int i = 0; i < kRowsAlong / kWarps; ++i) {
    const int row = row0 + i * kWarps;
    if (row >= matrix.rows) return;
    uint4 most = make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int v = 0; v < kVectorsAlong; ++v) {
      most = larger(most, load4(matrix.row(row), col0 + v * kAcross, cols, whole));
    }
    const unsigned of_row = largest_of_warp(max(max(most.x, most.y), max(most.z, most.w)));
    if (threadIdx.x % kWarp == 0) atomicMax(&matrix.largest[row], of_row);
  }
}

// Where columns are asked for: a warp takes every eighth row, and the eight agree through shared memory.
constexpr int kRowsDown = 16 * kWarps;

__device__ void scan_columns(const Scanned& matrix, std::int64_t tile) {
  __shared__ uint4 of_warp[kWarps][kWarp];
  const int cols = matrix.cols;
  const int tiles_across = (cols + kAcross - 1) / kAcross;
  const int warp = threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  const int row0 = static_cast<int>(tile / tiles_across) * kRowsDown + warp;
  const int col0 = static_cast<int>(tile % tiles_across) * kAcross;
  const bool whole = whole_vectors(matrix.first, cols, matrix.stride);
  uint4 most = make_uint4(0, 0, 0, 0);
#pragma unroll
  for (int i = 0; i < kRowsDown / kWarps; ++i) {
    const int row = row0 + i * kWarps;
    if (row < matrix.rows) most = larger(most, load4(matrix.row(row), col0 + lane * kVector, cols, whole));
  }
  of_warp[warp][lane] = most;
  __syncthreads();
  if (threadIdx.x < kAcross && col0 + static_cast<int>(threadIdx.x) < cols) {
    const unsigned* values = reinterpret_cast<const unsigned*>(of_warp);
    unsigned of_column = 0;
    for (int i = 0; i < kWarps; ++i) of_column = max(of_column, values[i * kAcross + threadIdx.x]);
    atomicMax(&matrix.largest[col0 + threadIdx.x], of_column);
  }
  __syncthreads();  // all have read of_warp before the next tile overwrites it
}

__device__ void scan(const Scanned& matrix, std::int64_t tile) {
  if (matrix.by_rows) {
    scan_rows(matrix, tile);
  } else {
    scan_columns(matrix, tile);
  }
}

__global__ void __launch_bounds__(kThreads)
    scan_kernel(Scanned A, Scanned B, std::int64_t tiles_a, std::int64_t tiles) {
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    if (tile < tiles_a) {
      scan(A, tile);
    } else {
      scan(B, tile - tiles_a);
    }
  }
}

std::int64_t tiles_of(const Scanned& matrix) {
  if (matrix.by_rows)
    return parts::tiles_of(matrix.rows, kRowsAlong) * parts::tiles_of(matrix.cols, kColsAlong);
  return parts::tiles_of(matrix.rows, kRowsDown) * parts::tiles_of(matrix.cols, kAcross);
}

}  // namespace

void launch_scan(const Work& work) {
  const Scanned A = work.transpose_a ? Scanned{work.a, work.K, work.M, work.lda, false, work.largest_a}
                                     : Scanned{work.a, work.M, work.K, work.lda, true, work.largest_a};
  const Scanned B = work.transpose_b ? Scanned{work.b, work.N, work.K, work.ldb, true, work.largest_b}
                                     : Scanned{work.b, work.K, work.N, work.ldb, false, work.largest_b};
  const std::int64_t tiles_a = tiles_of(A);
  const std::int64_t tiles = tiles_a + tiles_of(B);
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(tiles, 8 * work.multiprocessors));
  scan_kernel<<<blocks, kThreads, 0, current_stream()>>>(A, B, tiles_a, tiles);
  GEMMLAB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace gemmlab::gpu::parts
