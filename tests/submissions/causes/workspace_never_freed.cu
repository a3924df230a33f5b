// verdict: out-of-memory
// pattern: allocation-failed
// says: Device memory was refused at line 17
// says: that nobody has freed
__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const long at = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= (long)M * K) return;
  float sum = 0;
  for (long k = 0; k < N; ++k) sum += A[at / K * N + k] * B[k * K + at % K];
  C[at] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  float* work = nullptr;
  const size_t bytes = size_t{200} << 20;
  // nothing gives it back
  if (cudaMalloc(&work, bytes) != cudaSuccess) return;
  multiply<<<(unsigned)(((long)M * K + 127) / 128), 128>>>(A, B, work, M, N, K);
  cudaMemcpy(C, work, sizeof(float) * M * K, cudaMemcpyDeviceToDevice);
}
