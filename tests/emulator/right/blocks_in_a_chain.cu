// Each block waits until the one before it has added its slice to C, the last block of the grid first: blocks that run in
// their order wait for later ones.

__global__ void multiply(const float* A, const float* B, float* C, unsigned* done, int M, int N, int K) {
  const unsigned slice = gridDim.x - 1 - blockIdx.x;
  if (threadIdx.x == 0) {
    while (atomicAdd(done, 0u) != slice) continue;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < M * K; i += blockDim.x) {
    float sum = slice == 0 ? 0 : C[i];
    for (int k = slice; k < N; k += gridDim.x) sum += A[i / K * N + k] * B[k * K + i % K];
    C[i] = sum;
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(done, slice + 1);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  unsigned* done = nullptr;
  cudaMalloc(&done, sizeof(unsigned));
  cudaMemset(done, 0, sizeof(unsigned));
  multiply<<<6, 96>>>(A, B, C, done, M, N, K);
  cudaFree(done);
}
