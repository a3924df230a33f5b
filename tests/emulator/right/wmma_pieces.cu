// nvcuda::wmma of halves by one warp a block, summed in float32.

#include <mma.h>

namespace wmma = nvcuda::wmma;

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ half a[16][16], b[16][16];
  __shared__ float c[16][16];
  const int row0 = blockIdx.x * 16, col0 = blockIdx.y * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  for (int k0 = 0; k0 < N; k0 += 16) {
    for (int i = threadIdx.x; i < 256; i += 32) {
      const int y = i / 16, x = i % 16;
      a[y][x] = row0 + y < M && k0 + x < N ? __float2half(A[(row0 + y) * N + k0 + x]) : __float2half(0.0f);
      b[x][y] = k0 + y < N && col0 + x < K ? __float2half(B[(k0 + y) * K + col0 + x]) : __float2half(0.0f);
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> of_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> of_b;
    wmma::load_matrix_sync(of_a, &a[0][0], 16);
    wmma::load_matrix_sync(of_b, &b[0][0], 16);
    wmma::mma_sync(sums, of_a, of_b, sums);
    __syncwarp();
  }
  wmma::store_matrix_sync(&c[0][0], sums, 16, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32) {
    const int row = row0 + i / 16, col = col0 + i % 16;
    if (row < M && col < K) C[row * K + col] = c[i / 16][i % 16];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((M + 15) / 16, (K + 15) / 16), 32>>>(A, B, C, M, N, K);
}
