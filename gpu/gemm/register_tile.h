#pragma once

// What the rungs with a tile of C in each thread's registers share: filling As and Bs, fragments, the outer
// product, and C. For .cu files.

#include <cuda_runtime.h>

#include <cstdint>

namespace gemmlab::gpu {

inline constexpr int kVector = 4;  ///< floats in a 16-byte access

/// A ROWS×COLS tile of a row-major matrix, of which `rows` and `cols` lie inside, one float at a time, as it
/// lies; zeros beyond. `tile_length` floats lie from one row of the tile to the next.
template <int ROWS, int COLS, int THREADS>
__device__ void load_tile(float* tile, int tile_length, const float* from, int row_length, int rows,
                          int cols) {
  static_assert(ROWS * COLS % THREADS == 0, "equal shares of loading");
#pragma unroll
  for (int i0 = 0; i0 < ROWS * COLS; i0 += THREADS) {
    const int i = i0 + threadIdx.x;
    const int row = i / COLS;
    const int col = i % COLS;
    tile[row * tile_length + col] =
        row < rows && col < cols ? from[static_cast<std::int64_t>(row) * row_length + col] : 0;
  }
}

/// load_tile 16 bytes at a time: every row of the matrix and of the tile starts at a multiple of that.
template <int ROWS, int COLS, int THREADS>
__device__ void load_tile_in_fours(float* tile, int tile_length, const float* from, int row_length, int rows,
                                   int cols) {
  static_assert(ROWS * COLS % (THREADS * kVector) == 0, "equal shares of loading, in fours");
#pragma unroll
  for (int i0 = 0; i0 < ROWS * COLS; i0 += THREADS * kVector) {
    const int i = i0 + threadIdx.x * kVector;
    const int row = i / COLS;
    const int col = i % COLS;
    const float* four = &from[static_cast<std::int64_t>(row) * row_length + col];
    *reinterpret_cast<float4*>(&tile[row * tile_length + col]) =
        row < rows && col < cols ? *reinterpret_cast<const float4*>(four) : make_float4(0, 0, 0, 0);
  }
}

/// One thread's share of a tile of A or B on its way from global to shared memory.
template <int ROWS, int COLS, int THREADS>
struct Fetched {
  static constexpr int kCount = ROWS * COLS / THREADS;
  static_assert(ROWS * COLS % (THREADS * kVector) == 0, "equal shares of loading, in fours");
  float values[kCount];
};

/// The four floats at `from` if they lie inside, else zeros.
__device__ inline void fetch_four(float* to, const float* from, bool inside) {
  const float4 four = inside ? *reinterpret_cast<const float4*>(from) : make_float4(0, 0, 0, 0);
  to[0] = four.x;
  to[1] = four.y;
  to[2] = four.z;
  to[3] = four.w;
}

/// A thread's share of the BM×BK tile at A, of which `rows` and `depth` lie inside; zeros beyond. kAligned:
/// by fours along k, else one by one.
template <int BM, int BK, int THREADS, bool kAligned>
__device__ void fetch_a(Fetched<BM, BK, THREADS>& fetched, const float* A, int K, int rows, int depth) {
  if constexpr (kAligned) {
#pragma unroll
    for (int n = 0; n < fetched.kCount; n += kVector) {
      const int i = n / kVector * THREADS + threadIdx.x;
      // a warp takes 32 bytes (one sector) of each of 16 rows: k = 0 and k = 4 are then stored 16 banks apart
      const int k = i % 2 * kVector + i / (2 * BM) * 2 * kVector;
      const int row = i / 2 % BM;
      fetch_four(&fetched.values[n], &A[static_cast<std::int64_t>(row) * K + k], row < rows && k < depth);
    }
  } else {
    constexpr int kRowsAtOnce = THREADS / BK;
    const int k = threadIdx.x % BK;
    const int row = threadIdx.x / BK;
    const float* from = A + static_cast<std::int64_t>(row) * K + k;
#pragma unroll
    for (int n = 0; n < fetched.kCount; ++n) {
      fetched.values[n] = n * kRowsAtOnce < rows - row && k < depth ? *from : 0;
      from += static_cast<std::int64_t>(kRowsAtOnce) * K;
    }
  }
}

/// Stores what fetch_a fetched: element (row, k) of the tile at As[row * ROW_STEP + k * K_STEP].
template <int ROW_STEP, int K_STEP, bool kAligned, int BM, int BK, int THREADS>
__device__ void store_a(float* As, const Fetched<BM, BK, THREADS>& fetched) {
  constexpr int kStep = kAligned ? kVector : 1;
#pragma unroll
  for (int n = 0; n < fetched.kCount; n += kStep) {
    const int i = n / kStep * THREADS + threadIdx.x;
    const int k = kAligned ? i % 2 * kVector + i / (2 * BM) * 2 * kVector : i % BK;
    const int row = kAligned ? i / 2 % BM : i / BK;
#pragma unroll
    for (int x = 0; x < kStep; ++x) As[row * ROW_STEP + (k + x) * K_STEP] = fetched.values[n + x];
  }
}

/// A thread's share of the BK×BN tile at B, of which `depth` and `cols` lie inside; zeros beyond.
template <int BK, int BN, int THREADS, bool kAligned>
__device__ void fetch_b(Fetched<BK, BN, THREADS>& fetched, const float* B, int N, int depth, int cols) {
  constexpr int kStep = kAligned ? kVector : 1;
  constexpr int kDepthAtOnce = THREADS / (BN / kStep);
  const int k = threadIdx.x / (BN / kStep);
  const int col = threadIdx.x % (BN / kStep) * kStep;
  const float* from = B + static_cast<std::int64_t>(k) * N + col;
#pragma unroll
  for (int n = 0; n < fetched.kCount; n += kStep) {
    const bool inside = n / kStep * kDepthAtOnce < depth - k && col < cols;
    if constexpr (kAligned) {
      fetch_four(&fetched.values[n], from, inside);
    } else {
      fetched.values[n] = inside ? *from : 0;
    }
    from += static_cast<std::int64_t>(kDepthAtOnce) * N;
  }
}

/// Stores what fetch_b fetched, as it lies.
template <bool kAligned, int BK, int BN, int THREADS>
__device__ void store_b(float* Bs, const Fetched<BK, BN, THREADS>& fetched) {
  constexpr int kStep = kAligned ? kVector : 1;
#pragma unroll
  for (int n = 0; n < fetched.kCount; n += kStep) {
    float* to = &Bs[(n / kStep * THREADS + threadIdx.x) * kStep];
    const float* values = &fetched.values[n];
    if constexpr (kAligned) {
      *reinterpret_cast<float4*>(to) = make_float4(values[0], values[1], values[2], values[3]);
    } else {
      *to = *values;
    }
  }
}

/// `COUNT` floats in fours, each four `STRIDE` floats behind the last: a thread's share of a row of As or Bs.
template <int COUNT, int STRIDE>
__device__ void load_fragment(float (&fragment)[COUNT], const float* from) {
#pragma unroll
  for (int i = 0; i < COUNT; i += kVector) {
    *reinterpret_cast<float4*>(&fragment[i]) = *reinterpret_cast<const float4*>(&from[i / kVector * STRIDE]);
  }
}

/// sums += a·bᵀ.
template <int TM, int TN>
__device__ void add_outer_product(float (&sums)[TM][TN], const float (&a)[TM], const float (&b)[TN]) {
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) sums[i][j] += a[i] * b[j];
  }
}

/// Four neighbouring elements of a row of C, as far as they lie inside.
template <bool kAligned>
__device__ void store_four(float* C, int row, int col, int M, int N, const float* values) {
  if (row >= M || col >= N) return;
  float* to = &C[static_cast<std::int64_t>(row) * N + col];
  if constexpr (kAligned) {
    *reinterpret_cast<float4*>(to) = make_float4(values[0], values[1], values[2], values[3]);
  } else {
#pragma unroll
    for (int j = 0; j < kVector; ++j) {
      if (col + j < N) to[j] = values[j];
    }
  }
}

/// A thread's sums, whose rows and columns are fours, ROWS_APART and COLS_APART from one four to the next.
template <bool kAligned, int ROWS_APART, int COLS_APART, int TM, int TN>
__device__ void store_sums(float* C, int row, int col, int M, int N, const float (&sums)[TM][TN]) {
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; j += kVector) {
      store_four<kAligned>(C, row + i / kVector * ROWS_APART + i % kVector, col + j / kVector * COLS_APART, M,
                           N, &sums[i][j]);
    }
  }
}

}  // namespace gemmlab::gpu
