#include "gpu/describe.h"
#include "gpu/gemm/register_tile.h"
#include "gpu/gemm/session.h"

namespace gemmlab::gpu {
namespace {

constexpr int BM = 128;
constexpr int BN = 128;
constexpr int BK = 8;
constexpr int TM = 8;
constexpr int TN = 8;
constexpr int kThreadsAcross = BN / TN;
constexpr int kThreads = BM / TM * kThreadsAcross;
constexpr int kApart = kThreadsAcross * kVector;  // from a thread's first four rows or columns to its next
static_assert(BM * BK == kThreads * kVector && BK * BN == kThreads * kVector,
              "a float4 of each tile per thread");

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One BM×BN tile of C per thread block, TM×TN of it per thread. kAligned (every row of A, B and C starts at
/// a multiple of 16 bytes): each thread reads one float4 of A and one of B per step, and writes float4s of C.
/// Bs is read as float4 always: a thread's columns are two groups of four, 64 apart. As keeps A's order, so a
/// thread's rows of it are read one by one.
template <bool kAligned>
__global__ void __launch_bounds__(kThreads, 2)
    vector_loads_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                        int M, int N, int K) {
  __shared__ float As[BM][BK + 1];
  alignas(16) __shared__ float Bs[BK][BN];
  const int thread_row = threadIdx.x / kThreadsAcross * kVector;
  const int thread_col = threadIdx.x % kThreadsAcross * kVector;
  // the float4 of each tile that this thread loads
  const int a_row = threadIdx.x / (BK / kVector);
  const int a_k = threadIdx.x % (BK / kVector) * kVector;
  const int b_k = threadIdx.x / (BN / kVector);
  const int b_col = threadIdx.x % (BN / kVector) * kVector;
  const TileCorner corner = tile_corner(N, BM, BN);
  A += static_cast<std::int64_t>(corner.row) * K;
  B += corner.col;

  const float* a_from = A + static_cast<std::int64_t>(a_row) * K + a_k;
  const float* b_from = B + static_cast<std::int64_t>(b_k) * N + b_col;
  float sums[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    if constexpr (kAligned) {
      const bool a_inside = a_row < M - corner.row && a_k < K - k0;
      const bool b_inside = b_k < K - k0 && b_col < N - corner.col;
      const float4 a4 = a_inside ? *reinterpret_cast<const float4*>(a_from) : make_float4(0, 0, 0, 0);
      const float4 b4 = b_inside ? *reinterpret_cast<const float4*>(b_from) : make_float4(0, 0, 0, 0);
      As[a_row][a_k + 0] = a4.x;
      As[a_row][a_k + 1] = a4.y;
      As[a_row][a_k + 2] = a4.z;
      As[a_row][a_k + 3] = a4.w;
      *reinterpret_cast<float4*>(&Bs[b_k][b_col]) = b4;
      a_from += BK;
      b_from += static_cast<std::int64_t>(BK) * N;
    } else {
      const auto load_a = [&](int row, int k, const float* from, bool inside) {
        As[row][k] = inside ? *from : 0;
      };
      const auto load_b = [&](int k, int col, const float* from, bool inside) {
        Bs[k][col] = inside ? *from : 0;
      };
      for_each_piece<BM, BK, 1, kThreads>(A, K, M - corner.row, K - k0, load_a);
      for_each_piece<BK, BN, 1, kThreads>(B, N, K - k0, N - corner.col, load_b);
    }
    A += BK;
    B += static_cast<std::int64_t>(BK) * N;
    __syncthreads();

#pragma unroll 4  // all eight would take more than the 128 registers of a thread
    for (int k = 0; k < BK; ++k) {
      float a[TM];
      alignas(16) float b[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) a[i] = As[thread_row + i / kVector * kApart + i % kVector][k];
#pragma unroll
      for (int j = 0; j < TN; j += kVector) {
        const float* b_from = &Bs[k][thread_col + j / kVector * kApart];
        *reinterpret_cast<float4*>(&b[j]) = *reinterpret_cast<const float4*>(b_from);
      }
      add_outer_product(sums, a, b);
    }
    // every thread must finish reading As and Bs before the next tiles overwrite them
    __syncthreads();
  }
  store_sums<kAligned, kApart, kApart>(C, corner.row + thread_row, corner.col + thread_col, M, N, sums);
}

LaunchPlan plan(const Parameters&) {
  return {vector_loads_kernel<false>, dim3(kThreads), BM, BN, vector_loads_kernel<true>};
}

}  // namespace

const Implementation& vector_loads() {
  static const KernelImplementation implementation(
      describe({.id = "gpu.vector_loads",
                .name = "vector loads",
                .family = "register tiles",
                .summary = "register_tiled_2d with accesses of 16 bytes to global memory and Bs",
                .source =
                    "SGEMM_CUDA (Boehm), kernel 6; CUDA Pro Tip: vectorized memory access (Luitjens, 2013)"}),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
