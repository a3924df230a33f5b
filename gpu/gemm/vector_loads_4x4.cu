#include "gpu/describe.h"
#include "gpu/gemm/register_tile.h"
#include "gpu/gemm/session.h"

namespace gemmlab::gpu {
namespace {

constexpr int BM = 64;
constexpr int BN = 64;
constexpr int BK = 16;
constexpr int TM = 4;
constexpr int TN = 4;
constexpr int kThreadsAcross = BN / TN;
constexpr int kThreads = BM / TM * kThreadsAcross;
static_assert(BM * BK == kThreads * kVector && BK * BN == kThreads * kVector,
              "a float4 of each tile per thread");

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One BM×BN tile of C per thread block, TM×TN of it per thread. Both tiles lie in shared memory as in global
/// memory: a thread's four columns of Bs are one float4, its four rows of As lie BK floats apart. kAligned
/// (every row of A, B and C starts at a multiple of 16 bytes): each thread reads one float4 of A and one of B
/// per step, and writes float4s of C. Edges are zero-filled.
template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    vector_loads_4x4_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                            int M, int N, int K) {
  alignas(16) __shared__ float As[BM][BK];
  alignas(16) __shared__ float Bs[BK][BN];
  const int thread_row = threadIdx.x / kThreadsAcross * TM;
  const int thread_col = threadIdx.x % kThreadsAcross * TN;
  const int a_row = threadIdx.x / (BK / kVector);
  const int a_k = threadIdx.x % (BK / kVector) * kVector;
  const int b_k = threadIdx.x / (BN / kVector);
  const int b_col = threadIdx.x % (BN / kVector) * kVector;
  const TileCorner corner = tile_corner(N, BM, BN);
  A += static_cast<std::int64_t>(corner.row) * K;
  B += corner.col;

  float sums[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    if constexpr (kAligned) {
      const bool a_inside = a_row < M - corner.row && a_k < K - k0;
      const bool b_inside = b_k < K - k0 && b_col < N - corner.col;
      const float* a_from = &A[static_cast<std::int64_t>(a_row) * K + a_k];
      const float* b_from = &B[static_cast<std::int64_t>(b_k) * N + b_col];
      *reinterpret_cast<float4*>(&As[a_row][a_k]) =
          a_inside ? *reinterpret_cast<const float4*>(a_from) : make_float4(0, 0, 0, 0);
      *reinterpret_cast<float4*>(&Bs[b_k][b_col]) =
          b_inside ? *reinterpret_cast<const float4*>(b_from) : make_float4(0, 0, 0, 0);
    } else {
      load_tile<BM, BK, kThreads>(&As[0][0], BK, A, K, M - corner.row, K - k0);
      load_tile<BK, BN, kThreads>(&Bs[0][0], BN, B, N, K - k0, N - corner.col);
    }
    A += BK;
    B += static_cast<std::int64_t>(BK) * N;
    __syncthreads();

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM];
      alignas(16) float b[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) a[i] = As[thread_row + i][k];
      *reinterpret_cast<float4*>(b) = *reinterpret_cast<const float4*>(&Bs[k][thread_col]);
      add_outer_product(sums, a, b);
    }
    // every thread must finish reading As and Bs before the next tiles overwrite them
    __syncthreads();
  }
  store_sums<kAligned, kVector, kVector>(C, corner.row + thread_row, corner.col + thread_col, M, N, sums);
}

LaunchPlan plan(const Parameters&) {
  return {vector_loads_4x4_kernel<false>, dim3(kThreads), BM, BN, vector_loads_4x4_kernel<true>};
}

}  // namespace

const Implementation& vector_loads_4x4() {
  static const KernelImplementation implementation(
      describe(
          {.id = "gpu.vector_loads_4x4",
           .name = "vector loads 4×4",
           .family = "register tiles",
           .summary =
               "4×4 of C in each thread's registers, 64×64 a block, 16-byte accesses, A's tile as in memory",
           .source = "data/published/t4-notebook.csv, v4"}),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
