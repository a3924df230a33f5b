// verdict: correct
// Sizes in constant memory, set for each call.


struct Sizes {
  int M, N, K;
};
__constant__ Sizes sizes;

__global__ void multiply(const float* A, const float* B, float* C) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= sizes.M || col >= sizes.K) return;
  float sum = 0;
  for (int i = 0; i < sizes.N; ++i)
    sum += A[static_cast<long>(row) * sizes.N + i] * B[static_cast<long>(i) * sizes.K + col];
  C[static_cast<long>(row) * sizes.K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const Sizes now{M, N, K};
  cudaMemcpyToSymbol(sizes, &now, sizeof now);
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C);
}
