// 96 kB of dynamic shared memory, asked for as CUDA wants it.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  extern __shared__ __align__(16) unsigned char memory[];
  float* const row_of_a = reinterpret_cast<float*>(memory + (90 << 10));
  const int row = blockIdx.x;
  for (int k = threadIdx.x; k < N; k += blockDim.x) row_of_a[k] = A[row * N + k];
  __syncthreads();
  for (int col = threadIdx.x; col < K; col += blockDim.x) {
    float sum = 0;
    for (int k = 0; k < N; ++k) sum += row_of_a[k] * B[k * K + col];
    C[row * K + col] = sum;
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int kBytes = 96 << 10;  // N is at most 1536 here
  cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  multiply<<<M, 64, kBytes>>>(A, B, C, M, N, K);
}
