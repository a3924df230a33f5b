// verdict: out-of-memory
// pattern: allocation-failed
// Asks for 1 TiB of device memory, does not look at the answer, and lets a kernel use it.

#include <cstdint>

__global__ void transpose(const float* B, float* to, int N, int K) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at < static_cast<std::int64_t>(N) * K) to[at % K * N + at / K] = B[at];
}

__global__ void multiply(const float* A, const float* transposed, float* C, int M, int N, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int i = 0; i < N; ++i) {
    sum += A[static_cast<std::int64_t>(row) * N + i] * transposed[static_cast<std::int64_t>(col) * N + i];
  }
  C[static_cast<std::int64_t>(row) * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  float* transposed = nullptr;
  cudaMalloc(&transposed, std::size_t{1} << 40);
  const std::int64_t count = static_cast<std::int64_t>(N) * K;
  transpose<<<static_cast<unsigned>((count + 255) / 256), 256>>>(B, transposed, N, K);
  const dim3 threads(16, 16);
  const dim3 blocks((M + 15) / 16, (K + 15) / 16);
  multiply<<<blocks, threads>>>(A, transposed, C, M, N, K);
  cudaDeviceSynchronize();
  cudaFree(transposed);
}
