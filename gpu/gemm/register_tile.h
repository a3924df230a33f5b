#pragma once

// What the rungs with a tile of C in each thread's registers share: filling As and Bs, fragments, the outer
// product, and C. For .cu files.

#include <cuda_runtime.h>

#include <cstdint>

namespace gemmlab::gpu {

inline constexpr int kVector = 4;  ///< floats in a 16-byte access

/// Loads a ROWS×COLS tile of a row-major matrix, of which `rows` and `cols` lie inside, one float at a time;
/// zeros beyond. `tile_length` floats lie from one row of the tile to the next.
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

/// Calls visit(row, col, from, inside) for each of a thread's pieces of a ROWS×COLS tile, STEP adjacent
/// floats per piece; neighbouring threads have neighbouring pieces of a row. `from` is the piece's place in a
/// matrix whose rows are `stride` floats apart, `inside`: it lies in the first `rows` and `cols` of the tile.
template <int ROWS, int COLS, int STEP, int THREADS, typename Visit>
__device__ void for_each_piece(const float* tile, int stride, int rows, int cols, Visit visit) {
  constexpr int kThreadsAcross = COLS / STEP;
  constexpr int kRowsAtOnce = THREADS / kThreadsAcross;
  static_assert(THREADS % kThreadsAcross == 0 && ROWS % kRowsAtOnce == 0, "every thread has as many pieces");
  const int first_row = threadIdx.x / kThreadsAcross;
  const int col = threadIdx.x % kThreadsAcross * STEP;
  const float* from = tile + static_cast<std::int64_t>(first_row) * stride + col;
#pragma unroll
  for (int row0 = 0; row0 < ROWS; row0 += kRowsAtOnce) {
    visit(row0 + first_row, col, from, row0 + first_row < rows && col < cols);
    from += static_cast<std::int64_t>(kRowsAtOnce) * stride;
  }
}

/// One thread's share of a tile of A or B on its way from global to shared memory.
template <int ROWS, int COLS, int THREADS>
struct Fetched {
  static constexpr int kCount = ROWS * COLS / THREADS;
  static_assert(ROWS * COLS % (THREADS * kVector) == 0, "equal shares of loading, four floats at a time");
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
/// four at a time along k, else one by one.
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

/// Where in A's tile the `n`th float lies that a thread fetched by fetch_a.
struct PlaceInA {
  int row;
  int k;
};
template <int BM, int BK, int THREADS, bool kAligned>
__device__ PlaceInA place_in_a(int n) {
  const int i = n / (kAligned ? kVector : 1) * THREADS + threadIdx.x;
  if constexpr (kAligned) return {i / 2 % BM, i % 2 * kVector + i / (2 * BM) * 2 * kVector + n % kVector};
  return {i / BK, i % BK};
}

/// Stores what fetch_a fetched, transposed: element (row, k) of the tile at As[k * ROW_OF_AS + row].
template <int ROW_OF_AS, bool kAligned, int BM, int BK, int THREADS>
__device__ void store_a_transposed(float* As, const Fetched<BM, BK, THREADS>& fetched) {
#pragma unroll
  for (int n = 0; n < fetched.kCount; ++n) {
    const PlaceInA at = place_in_a<BM, BK, THREADS, kAligned>(n);
    As[at.k * ROW_OF_AS + at.row] = fetched.values[n];
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

/// COUNT floats in groups of four, STRIDE floats from one group to the next: a thread's share of a row of
/// As or Bs.
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

/// Stores four neighbouring elements of a row of C, as far as they lie inside.
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

/// A thread's sums, whose rows and columns are groups of four, ROWS_APART and COLS_APART from one group
/// to the next.
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
