// verdict: incorrect
// pattern: elements-for-bytes
// says: a quarter of its
// says: line 14
__global__ void add(const float* A, const float* B, float* C, int M, int N, int K) {
  const long at = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= (long)M * K) return;
  float sum = 0;
  for (long k = blockIdx.y; k < N; k += 2) sum += A[at / K * N + k] * B[k * K + at % K];
  atomicAdd(&C[at], sum);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  cudaMemset(C, 0, (size_t)M * K);
  add<<<dim3((unsigned)(((long)M * K + 127) / 128), 2), 128>>>(A, B, C, M, N, K);
}
