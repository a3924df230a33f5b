// rule: type = "int8"
// verdict: incorrect
// pattern: last-row

#include <cstdint>

__global__ void multiply(const std::int8_t* A, const std::int8_t* B, std::int32_t* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M - 1 || col >= K) return;
  int sum = 0;
  for (int i = 0; i < N; ++i) sum += A[(long long)row * N + i] * B[(long long)i * K + col];
  C[(long long)row * K + col] = sum;
}

extern "C" void solve(const std::int8_t* A, const std::int8_t* B, std::int32_t* C, int M, int N, int K) {
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
