// verdict: incorrect
// pattern: partly-written
// says: in the rows from 65536 on
__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const unsigned short row = blockIdx.x * 32 + threadIdx.y;
  const int col = blockIdx.y * 32 + threadIdx.x;
  if (blockIdx.x * 32 + threadIdx.y >= M || col >= K) return;
  float sum = 0;
  for (int i = 0; i < N; ++i) sum += A[(long)row * N + i] * B[(long)i * K + col];
  C[(long)row * K + col] = sum;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((M + 31) / 32, (K + 31) / 32), dim3(32, 32)>>>(A, B, C, M, N, K);
}
