// finds: waits-for-later-block
// says: a card may run it
// error: 702
// accesses: 30000000
// A barrier of the whole grid: no block goes on before the last has come, of more blocks than are held at once.

__device__ unsigned arrived;

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y;
  const int col = blockIdx.x * 256 + threadIdx.x;
  atomicAdd(&arrived, 1u);
  while (atomicAdd(&arrived, 0u) < gridDim.x * gridDim.y * blockDim.x) continue;  // <- waits-for-later-block
  if (row >= M || col >= K || threadIdx.x >= 256) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const unsigned none = 0;
  cudaMemcpyToSymbol(arrived, &none, sizeof none);
  multiply<<<dim3((K + 255) / 256, M), 512>>>(A, B, C, M, N, K);
}
