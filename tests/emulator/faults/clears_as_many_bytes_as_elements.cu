// finds: elements-for-bytes
// says: a quarter
// names: C
// cudaMemset is given the number of elements.

__global__ void add_product(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  atomicAdd(&C[row * K + col], sum);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  cudaMemset(C, 0, M * K);  // <- elements-for-bytes
  add_product<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
