// A kernel's malloc and new, a kernel that launches another, a texture in linear memory, pinned memory that a kernel reads, a
// rectangle set, a symbol in a stream, a limit, and printf.
#include <cstdio>
__constant__ int widths[3];

__global__ void finish(const float* part, float* C, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) C[i] += part[i];
}

__global__ void multiply(const float* A, cudaTextureObject_t b, const int* from_host, float* part, float* C) {
  const int N = widths[1], K = widths[2];
  __builtin_assume(N > 0);
  __shared__ float* row;
  if (threadIdx.x == 0) row = static_cast<float*>(malloc(sizeof(float) * K));
  __syncthreads();
  for (int col = threadIdx.x; col < K; col += blockDim.x) {
    float sum = 0;
    for (int k = 0; k < N; ++k) sum += A[blockIdx.x * N + k] * tex1Dfetch<float>(b, k * K + col);
    row[col] = sum;
  }
  __syncthreads();
  float* const one = new float(0);
  for (int col = threadIdx.x; col < K; col += blockDim.x)
    part[blockIdx.x * K + col] = row[K - 1 - (K - 1 - col)] + *one;
  delete one;
  __syncthreads();
  if (threadIdx.x == 0) free(row);
  if (*from_host != 7) printf("pinned memory holds %d\n", *from_host);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    const int count = static_cast<int>(gridDim.x) * K;
    finish<<<(count + 63) / 64, 64>>>(part, C, count);
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<float*>(B);
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = sizeof(float) * N * K;
  cudaTextureDesc how{};
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  const int extents[] = {M, N, K};
  cudaMemcpyToSymbolAsync(widths, extents, sizeof extents, 0, cudaMemcpyHostToDevice, 0);
  cudaMemset2D(C, K * sizeof(float), 0, K * sizeof(float), M);
  float* part = nullptr;
  cudaMalloc(&part, sizeof(float) * M * K);
  int* pinned = nullptr;
  cudaHostAlloc(&pinned, sizeof(int), cudaHostAllocMapped);
  *pinned = 7;
  int* its = nullptr;
  cudaHostGetDevicePointer(&its, pinned, 0);
  std::size_t heap = 0;
  cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize);
  if (heap >= static_cast<std::size_t>(M) * 4 * K) multiply<<<M, 32>>>(A, texture, its, part, C);
  cudaDeviceSynchronize();
  cudaDestroyTextureObject(texture);
  cudaFreeHost(pinned);
  cudaFree(part);
}
