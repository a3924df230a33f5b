// rule: type = "bfloat16"
// verdict: correct

#include <cuda_bf16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int kSide = 16;

// A warp computes a tile of 16×16; what lies beyond the edges counts as 0.
__global__ void multiply(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C, int M, int N,
                         int K) {
  __shared__ __align__(32) __nv_bfloat16 a[kSide * kSide];
  __shared__ __align__(32) __nv_bfloat16 b[kSide * kSide];
  __shared__ __align__(32) float c[kSide * kSide];
  const int row0 = blockIdx.y * kSide, col0 = blockIdx.x * kSide;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a_part;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> b_part;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  for (int inner0 = 0; inner0 < N; inner0 += kSide) {
    for (int i = threadIdx.x; i < kSide * kSide; i += 32) {
      const int row = row0 + i / kSide, col = col0 + i % kSide;
      const int of_a = inner0 + i % kSide, of_b = inner0 + i / kSide;
      a[i] = row < M && of_a < N ? A[(long long)row * N + of_a] : __float2bfloat16(0.0f);
      b[i] = of_b < N && col < K ? B[(long long)of_b * K + col] : __float2bfloat16(0.0f);
    }
    __syncwarp();
    wmma::load_matrix_sync(a_part, a, kSide);
    wmma::load_matrix_sync(b_part, b, kSide);
    wmma::mma_sync(sums, a_part, b_part, sums);
    __syncwarp();
  }
  wmma::store_matrix_sync(c, sums, kSide, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < kSide * kSide; i += 32) {
    const int row = row0 + i / kSide, col = col0 + i % kSide;
    if (row < M && col < K) C[(long long)row * K + col] = __float2bfloat16(c[i]);
  }
}

extern "C" void solve(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C, int M, int N, int K) {
  multiply<<<dim3((K + kSide - 1) / kSide, (M + kSide - 1) / kSide), 32>>>(A, B, C, M, N, K);
}
