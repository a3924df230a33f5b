// verdict: incorrect
// pattern: launch-refused
// says: It asks for 70000 blocks in y
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  const long row = blockIdx.y;
  const long col = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= K) return;
  float s = 0;
  for (int k = 0; k < N; ++k) s += A[row * N + k] * B[(long)k * K + col];
  C[row * K + col] = s;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  // one row of C per row of the grid
  mm<<<dim3((K + 127) / 128, M), 128>>>(A, B, C, M, N, K);
}
