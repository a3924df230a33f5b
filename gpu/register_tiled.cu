#include <stdexcept>

#include "gpu/describe.h"
#include "gpu/session.h"

namespace gemmlab::gpu {
namespace {

constexpr int kThreadsAcross = 16;
constexpr int kThreads = kThreadsAcross * kThreadsAcross;
constexpr int kVector = 4;  // floats in a 16-byte load

/// The BM×BK tile at A, of which `rows` and `depth` lie inside, transposed into As[k][row]; zeros beyond.
/// `row_length` floats lie from one k to the next: 4 more than BM, so that the stores below meet no bank
/// twice.
template <int BM, int BK, bool kAligned>
__device__ void load_a(float* As, int row_length, const float* A, int K, int rows, int depth) {
  if constexpr (kAligned) {
#pragma unroll
    for (int i0 = 0; i0 < BM * BK / kVector; i0 += kThreads) {
      const int i = i0 + threadIdx.x;
      // a warp takes 32 bytes (one sector) of each of 16 rows: k = 0 and k = 4 are then stored 16 banks apart
      const int k = i % 2 * kVector + i / (2 * BM) * 2 * kVector;
      const int row = i / 2 % BM;
      float4 a = make_float4(0, 0, 0, 0);
      if (row < rows && k < depth) {
        a = *reinterpret_cast<const float4*>(&A[static_cast<std::int64_t>(row) * K + k]);
      }
      As[(k + 0) * row_length + row] = a.x;
      As[(k + 1) * row_length + row] = a.y;
      As[(k + 2) * row_length + row] = a.z;
      As[(k + 3) * row_length + row] = a.w;
    }
  } else {
#pragma unroll
    for (int i0 = 0; i0 < BM * BK; i0 += kThreads) {
      const int i = i0 + threadIdx.x;
      const int k = i % BK;
      const int row = i / BK;
      As[k * row_length + row] = row < rows && k < depth ? A[static_cast<std::int64_t>(row) * K + k] : 0;
    }
  }
}

/// The BK×BN tile at B, of which `depth` and `cols` lie inside, as it lies, into Bs[k][col]; zeros beyond.
template <int BN, int BK, bool kAligned>
__device__ void load_b(float* Bs, const float* B, int N, int depth, int cols) {
  constexpr int kStep = kAligned ? kVector : 1;
#pragma unroll
  for (int i0 = 0; i0 < BN * BK / kStep; i0 += kThreads) {
    const int i = i0 + threadIdx.x;
    const int k = i / (BN / kStep);
    const int col = i % (BN / kStep) * kStep;
    const float* from = &B[static_cast<std::int64_t>(k) * N + col];
    if constexpr (kAligned) {
      float4 b = make_float4(0, 0, 0, 0);
      if (k < depth && col < cols) b = *reinterpret_cast<const float4*>(from);
      *reinterpret_cast<float4*>(&Bs[k * BN + col]) = b;
    } else {
      Bs[k * BN + col] = k < depth && col < cols ? *from : 0;
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

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One BM×BN tile of C a thread block, TM×TN of it a thread, kept in registers: each float read from shared
/// memory is used TN or TM times. A's tile is stored transposed, so that a thread's rows lie side by side and
/// are read 16 bytes at a time. kAligned: every row of A, B and C starts at a multiple of 16 bytes. Source:
/// V. Volkov, "Better Performance at Lower Occupancy" (2010); SGEMM_CUDA (Boehm), kernels 5 and 6.
template <int BM, int BN, int BK, int TM, int TN, bool kAligned>
__global__ void __launch_bounds__(kThreads, 2)
    register_tiled_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                          int M, int N, int K) {
  static_assert(BM == kThreadsAcross * TM && BN == kThreadsAcross * TN, "the threads cover the tile once");
  static_assert(BM * BK % (kThreads * kVector) == 0 && BN * BK % (kThreads * kVector) == 0,
                "equal shares of loading");
  constexpr int kRowOfAs = BM + kVector;
  alignas(16) __shared__ float As[BK * kRowOfAs];
  alignas(16) __shared__ float Bs[BK * BN];

  // A thread's rows and columns are fours, 64 apart: neighbours then read neighbouring fours of Bs, all banks
  // once.
  constexpr int kApart = kThreadsAcross * kVector;
  const int thread_row = threadIdx.x / kThreadsAcross * kVector;
  const int thread_col = threadIdx.x % kThreadsAcross * kVector;
  const TileCorner corner = tile_corner(N, BM, BN);

  A += static_cast<std::int64_t>(corner.row) * K;
  B += corner.col;

  float sums[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    load_a<BM, BK, kAligned>(As, kRowOfAs, A, K, M - corner.row, K - k0);
    load_b<BN, BK, kAligned>(Bs, B, N, K - k0, N - corner.col);
    A += BK;
    B += static_cast<std::int64_t>(BK) * N;
    __syncthreads();

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      alignas(16) float a[TM];
      alignas(16) float b[TN];
      load_fragment<TM, kApart>(a, &As[k * kRowOfAs + thread_row]);
      load_fragment<TN, kApart>(b, &Bs[k * BN + thread_col]);
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i][j] += a[i] * b[j];
      }
    }
    // every thread must finish reading As and Bs before the next tiles overwrite them
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row = corner.row + thread_row + i / kVector * kApart + i % kVector;
#pragma unroll
    for (int j = 0; j < TN; j += kVector) {
      store_four<kAligned>(C, row, corner.col + thread_col + j / kVector * kApart, M, N, &sums[i][j]);
    }
  }
}

template <int BM, int BN, int BK, int TM, int TN>
LaunchPlan plan_of() {
  return {register_tiled_kernel<BM, BN, BK, TM, TN, false>, dim3(kThreads), BM, BN,
          register_tiled_kernel<BM, BN, BK, TM, TN, true>};
}

LaunchPlan plan(const Parameters& parameters) {
  const std::string tile = text(parameters, "tile");
  if (tile == "4x4") return plan_of<64, 64, 16, 4, 4>();
  if (tile == "8x8") return plan_of<128, 128, 8, 8, 8>();
  throw std::invalid_argument("tile = " + tile + " is neither 4x4 nor 8x8");
}

ParameterSpec tile_parameter() {
  ParameterSpec tile;
  tile.name = "tile";
  tile.summary =
      "what a thread computes: 4x4 of a 64×64 block's tile, K in steps of 16; 8x8 of 128×128, steps of 8";
  tile.choices = {std::string("4x4"), std::string("8x8")};
  tile.default_value = std::string("8x8");
  return tile;
}

}  // namespace

const Implementation& register_tiled() {
  static const KernelImplementation implementation(
      describe("gpu.register_tiled",
               "a tile of C in each thread's registers, 16-byte loads, A transposed in shared memory",
               "Volkov, Better Performance at Lower Occupancy (2010); SGEMM_CUDA (Boehm), kernels 5 and 6",
               "", {tile_parameter()}),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
