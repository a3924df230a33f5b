// finds: race
// may find: uninitialised-shared
#include <cooperative_groups.h>

__global__ void __cluster_dims__(2) multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float row[64];
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned rank = cluster.block_rank();
  for (int k = threadIdx.x; k < N; k += 32) row[k] = A[blockIdx.x / 2 * N + k];  // <- race
  __syncthreads();
  const float* const theirs = cluster.map_shared_rank(row, 1 - rank);
  for (int col = rank * 32 + threadIdx.x; col < K; col += 64) {
    float sum = 0;
    for (int k = 0; k < N; ++k) sum += theirs[k] * B[k * K + col];  // <- race, uninitialised-shared
    C[blockIdx.x / 2 * K + col] = sum;
  }
  cluster.sync();
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<2 * M, 32>>>(A, B, C, M, N, K);
}
