// finds: race
// names: sums
// The first thread sets the sum to zero and adds its own part; the others may have added theirs before.

__global__ void multiply(const float* A, const float* B, float* C, int N, int K) {
  __shared__ float sums[1];
  const int row = blockIdx.y, col = blockIdx.x;
  float part = 0;
  for (int k = threadIdx.x; k < N; k += blockDim.x) part += A[row * N + k] * B[k * K + col];
  if (threadIdx.x == 0) sums[0] = 0;  // <- race, uninitialised-shared
  atomicAdd(&sums[0], part);          // <- race, uninitialised-shared
  __syncthreads();
  if (threadIdx.x == 0) C[row * K + col] = sums[0];
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3(K, M), 64>>>(A, B, C, N, K);
}
