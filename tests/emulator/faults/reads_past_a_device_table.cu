// finds: out-of-bounds
// names: table
// error: 700
// says: a variable of 64 bytes
// A table in __device__ memory, whose address the host asks for, is read one element too far.

__device__ float table[16];

__global__ void multiply(const float* A, const float* B, const float* ones, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) {
    const float one = ones[k % 17];  // <- out-of-bounds
    sum += A[row * N + k] * B[k * K + col] * one;
  }
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  float given[16];
  for (float& each : given) each = 1;
  cudaMemcpyToSymbol(table, given, sizeof given);
  void* ones = nullptr;
  cudaGetSymbolAddress(&ones, table);
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, static_cast<float*>(ones), C, M, N, K);
}
