// Clusters of 2 blocks by __cluster_dims__ and of 2×2 by cudaLaunchKernelEx: each block loads a part of the row or of the columns, and
// reads those of the others where they lie.

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

constexpr int kStep = 32;

__global__ void __cluster_dims__(2, 1, 1)
    rows(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float part[kStep];
  const cg::cluster_group cluster = cg::this_cluster();
  const int row = blockIdx.y;
  const int col = blockIdx.x * kStep + threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < N; k0 += 2 * kStep) {
    const int k = k0 + static_cast<int>(cluster.block_rank()) * kStep + threadIdx.x;
    part[threadIdx.x] = k < N ? A[static_cast<long>(row) * N + k] : 0.0f;
    cluster.sync();
    for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) {
      const float* const theirs = cluster.map_shared_rank(part, rank);
      for (int i = 0; i < kStep && col < K; ++i) {
        const int inner = k0 + static_cast<int>(rank) * kStep + i;
        if (inner < N) sum += theirs[i] * B[static_cast<long>(inner) * K + col];
      }
    }
    cluster.sync();
  }
  if (col < K) C[static_cast<long>(row) * K + col] = sum;
}

__global__ void squares(const float* A, const float* B, float* C, int M, int N, int K) {
  extern __shared__ float tiles[];
  float* const a = tiles;
  float* const b = tiles + kStep * 4;
  const cg::cluster_group cluster = cg::this_cluster();
  const dim3 own = cluster.block_index();
  const int row0 = blockIdx.y * 4, col0 = blockIdx.x * 8;
  const int row = threadIdx.x / 8, col = threadIdx.x % 8;
  float sum = 0;
  for (int k0 = 0; k0 < N; k0 += kStep) {
    // the blocks of one row share A, those of one column B: each loads half of both
    for (int i = threadIdx.x; i < 2 * kStep; i += 32) {
      const int r = row0 + own.x * 2 + i / kStep, k = k0 + i % kStep;
      a[i] = r < M && k < N ? A[static_cast<long>(r) * N + k] : 0.0f;
    }
    for (int i = threadIdx.x; i < kStep / 2 * 8; i += 32) {
      const int k = k0 + own.y * kStep / 2 + i / 8, c = col0 + i % 8;
      b[i] = k < N && c < K ? B[static_cast<long>(k) * K + c] : 0.0f;
    }
    cluster.sync();
    for (int i = 0; i < kStep; ++i) {
      const float* const of_a = cluster.map_shared_rank(a, own.y * 2 + row / 2);
      const float* const of_b = cluster.map_shared_rank(b, i / (kStep / 2) * 2 + own.x);
      sum += of_a[row % 2 * kStep + i] * of_b[i % (kStep / 2) * 8 + col];
    }
    cluster.sync();
  }
  if (row0 + row < M && col0 + col < K) C[static_cast<long>(row0 + row) * K + col0 + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  if (N % 2 == 1) {
    rows<<<dim3((K + 2 * kStep - 1) / (2 * kStep) * 2, M), kStep>>>(A, B, C, M, N, K);
    return;
  }
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3((K + 15) / 16 * 2, (M + 7) / 8 * 2);
  launch.blockDim = dim3(32);
  launch.dynamicSmemBytes = kStep * 8 * sizeof(float);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = 2;
  cluster.val.clusterDim.y = 2;
  cluster.val.clusterDim.z = 1;
  launch.attrs = &cluster;
  launch.numAttrs = 1;
  cudaLaunchKernelEx(&launch, squares, A, B, C, M, N, K);
}
