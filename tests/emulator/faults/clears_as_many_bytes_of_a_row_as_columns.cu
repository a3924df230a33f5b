// finds: elements-for-bytes
// says: widths are told in bytes
// names: C
// cudaMemset2D is given the number of columns as the width.

__global__ void add_product(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  atomicAdd(&C[row * K + col], sum);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  cudaMemset2D(C, K * sizeof(float), 0, K, M);  // <- elements-for-bytes
  add_product<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
