// verdict: incorrect
// pattern: launch-refused
// says: in line 16
// says: 70000 blocks in z, at most 65535 are allowed
__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const long row = blockIdx.z;
  const long col = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= K) return;
  float sum = 0;
  for (long k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid((K + 63) / 64, 1, M);
  multiply<<<grid, 64>>>(A, B, C, M, N, K);
}
