// verdict: out-of-memory
// pattern: allocation-failed
// says: allocations that nobody has freed hold 1024
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  const long e = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= (long)M * K) return;
  float s = 0;
  for (int k = 0; k < N; ++k) s += A[e / K * N + k] * B[(long)k * K + e % K];
  C[e] = s;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  float* work;
  if (cudaMalloc(&work, 256u << 20) != cudaSuccess) return;
  mm<<<(unsigned)(((long)M * K + 255) / 256), 256>>>(A, B, work, M, N, K);
  cudaMemcpyAsync(C, work, sizeof(float) * M * K, cudaMemcpyDeviceToDevice);
}
