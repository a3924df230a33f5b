// finds: race
// names: allocation 4
// The last to arrive adds up what all have written, but each says that it has arrived before it has written.

__global__ void multiply(const float* A, const float* B, float* C, float* partial, unsigned* arrived, int M,
                         int N, int K) {
  const int row = blockIdx.y;
  const int col = blockIdx.x;
  const int parts = gridDim.z;
  float sum = 0;
  for (int k = blockIdx.z; k < N; k += parts) sum += A[row * N + k] * B[k * K + col];
  const int at = row * K + col;
  const bool last = threadIdx.x == 0 && atomicInc(&arrived[at], parts - 1) == parts - 1u;
  __syncthreads();
  partial[at * parts + blockIdx.z] = sum;  // <- race
  if (last) {
    float total = 0;
    for (int i = 0; i < parts; ++i) total += partial[at * parts + i];  // <- race
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
