// finds: race
// says: nothing says which of the two blocks comes first
// names: C
// The first slice of the inner dimension sets C to zero, while the others may have added to it.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  if (blockIdx.z == 0) C[row * K + col] = 0;  // <- race
  float sum = 0;
  for (int k = blockIdx.z; k < N; k += gridDim.z) sum += A[row * N + k] * B[k * K + col];
  atomicAdd(&C[row * K + col], sum);  // <- race
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 blocks((K + 15) / 16, (M + 15) / 16, 3);
  multiply<<<blocks, dim3(16, 16)>>>(A, B, C, M, N, K);
}
