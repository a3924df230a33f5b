// The last thread to count itself adds up what all have written: ordered by a fence and an atomic, without a barrier.

__global__ void multiply(const float* A, const float* B, float* C, float* partial, unsigned* arrived, int M,
                         int N, int K) {
  const int row = blockIdx.y;
  const int col = blockIdx.x;
  const int parts = gridDim.z;
  float sum = 0;
  for (int k = blockIdx.z; k < N; k += parts) sum += A[row * N + k] * B[k * K + col];
  const int at = row * K + col;
  partial[at * parts + blockIdx.z] = sum;
  __threadfence();
  if (atomicInc(&arrived[at], parts - 1) == parts - 1u) {
    float total = 0;
    for (int i = 0; i < parts; ++i) total += partial[at * parts + i];
    C[at] = total;
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  float* partial = nullptr;
  unsigned* arrived = nullptr;
  cudaMalloc(&partial, sizeof(float) * M * K * 3);
  cudaMalloc(&arrived, sizeof(unsigned) * M * K);
  cudaMemset(arrived, 0, sizeof(unsigned) * M * K);
  multiply<<<dim3(K, M, 3), 1>>>(A, B, C, partial, arrived, M, N, K);
  cudaFree(arrived);
  cudaFree(partial);
}
