// finds: race
// All threads add to one number of shared memory, without an atomic.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float total;
  const int row = blockIdx.y;
  const int col = blockIdx.x;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  for (int k = threadIdx.x; k < N; k += blockDim.x) {
    total += A[row * N + k] * B[k * K + col];  // <- race
  }
  __syncthreads();
  if (threadIdx.x == 0) C[row * K + col] = total;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3(K, M), 64>>>(A, B, C, M, N, K);
}
