// cudaLaunchCooperativeKernel by a pointer that has lost the kernel's parameters, and a barrier of the grid.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void multiply(const float* A, const float* B, float* turned, float* C, int M, int N, int K) {
  const cg::grid_group grid = cg::this_grid();
  for (long i = grid.thread_rank(); i < static_cast<long>(N) * K; i += grid.size())
    turned[i % K * N + i / K] = B[i];
  grid.sync();
  for (long i = grid.thread_rank(); i < static_cast<long>(M) * K; i += grid.size()) {
    float sum = 0;
    for (int k = 0; k < N; ++k) sum += A[i / K * N + k] * turned[i % K * N + k];
    C[i] = sum;
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  int per_sm = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, multiply, 96, 0);
  float* turned = nullptr;
  cudaMalloc(&turned, sizeof(float) * N * K);
  void* arguments[] = {&A, &B, &turned, &C, &M, &N, &K};
  if (per_sm > 0) cudaLaunchCooperativeKernel((void*)multiply, dim3(13), dim3(96), arguments, 0, 0);
  cudaDeviceSynchronize();
  cudaFree(turned);
}
