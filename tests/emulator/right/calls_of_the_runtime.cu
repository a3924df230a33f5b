// What host code asks of CUDA around its kernels: sizes of blocks, hints, priorities, pitched memory, arguments by
// pointer, and vectors of which the first elements alone are given.

#include <cuda_profiler_api.h>

__global__ void multiply(const float* A, size_t pitch, const float* B, float* C, int M, int N, int K) {
  const float* row_of_a =
      reinterpret_cast<const float*>(reinterpret_cast<const char*>(A) + blockIdx.y * pitch);
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.y >= M || col >= K) return;
  float4 sum = {0};
  float2 unused = {1.0f};
  for (int k = 0; k < N; ++k)
    (k % 2 == 0 ? sum.x : sum.w) += row_of_a[k] * B[k * K + col] * (unused.x + unused.y);
  C[blockIdx.y * K + col] = sum.x + sum.y + sum.z + sum.w;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  int least_blocks = 0, threads = 0;
  cudaOccupancyMaxPotentialBlockSize(&least_blocks, &threads, multiply, 0, 256);
  if (least_blocks < 1 || threads % 32 != 0) return;
  float* pitched = nullptr;
  size_t pitch = 0;
  cudaMallocPitch(&pitched, &pitch, N * sizeof(float), M);
  cudaMemcpy2D(pitched, pitch, A, N * sizeof(float), N * sizeof(float), M, cudaMemcpyDeviceToDevice);
  int least = 0, greatest = 0;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  cudaStream_t stream;
  cudaStreamCreateWithPriority(&stream, cudaStreamDefault, greatest);
  cudaProfilerStart();
  void* arguments[] = {&pitched, &pitch, &B, &C, &M, &N, &K};
  cudaLaunchKernel(multiply, dim3((K + threads - 1) / threads, M), dim3(threads), arguments, 0, stream);
  cudaProfilerStop();
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFree(pitched);
}
