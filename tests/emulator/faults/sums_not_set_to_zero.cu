// finds: uninitialised-shared
// The block's sum is added to before it is set.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float total;
  const int row = blockIdx.y;
  const int col = blockIdx.x;
  float sum = 0;
  for (int k = threadIdx.x; k < N; k += blockDim.x) sum += A[row * N + k] * B[k * K + col];
  atomicAdd(&total, sum);  // <- uninitialised-shared
  __syncthreads();
  if (threadIdx.x == 0) C[row * K + col] = total;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3(K, M), 64>>>(A, B, C, M, N, K);
}
