#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int kSide = 16;  // of a tile: what mma_sync multiplies
constexpr int kWarp = 32;

// A block is one warp, which computes a 16×16 tile of C.
__global__ void multiply(const half* A, const half* B, half* C, int M, int N, int K) {
  __shared__ __align__(32) half tile_a[kSide * kSide];
  __shared__ __align__(32) half tile_b[kSide * kSide];
  __shared__ __align__(32) float tile_c[kSide * kSide];
  const int row0 = blockIdx.y * kSide, col0 = blockIdx.x * kSide;
  wmma::fragment<wmma::matrix_a, kSide, kSide, kSide, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, kSide, kSide, kSide, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, kSide, kSide, kSide, float> sums;
  wmma::fill_fragment(sums, 0.0f);

  for (int i0 = 0; i0 < N; i0 += kSide) {
    for (int i = threadIdx.x; i < kSide * kSide; i += kWarp) {
      const int down = i / kSide, across = i % kSide;
      const int row = row0 + down, i_a = i0 + across, i_b = i0 + down, col = col0 + across;
      const half zero = __float2half(0.0f);
      tile_a[i] = row < M && i_a < N ? A[static_cast<long long>(row) * N + i_a] : zero;
      tile_b[i] = i_b < N && col < K ? B[static_cast<long long>(i_b) * K + col] : zero;
    }
    __syncwarp();  // both tiles must be complete before the warp loads them
    wmma::load_matrix_sync(a, tile_a, kSide);
    wmma::load_matrix_sync(b, tile_b, kSide);
    wmma::mma_sync(sums, a, b, sums);
    __syncwarp();  // all lanes must have loaded them before the next tiles overwrite them
  }

  wmma::store_matrix_sync(tile_c, sums, kSide, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < kSide * kSide; i += kWarp) {
    const int row = row0 + i / kSide, col = col0 + i % kSide;
    if (row < M && col < K) C[static_cast<long long>(row) * K + col] = __float2half(tile_c[i]);
  }
}

extern "C" void solve(const half* A, const half* B, half* C, int M, int N, int K) {
  multiply<<<dim3((K - 1) / kSide + 1, (M - 1) / kSide + 1), kWarp>>>(A, B, C, M, N, K);
}
