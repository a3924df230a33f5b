// finds: invalid-launch
// says: 70000 blocks in y, at most 65535 are allowed
// error: any
// shape: 70000x1x1
// One row of blocks per row of C, in the direction of a grid that takes the fewest.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((K + 31) / 32, M), 32>>>(A, B, C, M, N, K);  // <- invalid-launch
}
