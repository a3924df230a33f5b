// verdict: correct
// Each block takes a buffer from the device's heap.
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float* buffer;
  if (threadIdx.x == 0) buffer = static_cast<float*>(malloc(sizeof(float) * 64));
  __syncthreads();
  const long row = blockIdx.x;
  for (long c0 = 0; c0 < K; c0 += 64) {
    const long col = c0 + threadIdx.x;
    float s = 0;
    if (col < K)
      for (int k = 0; k < N; ++k) s += A[row * N + k] * B[(long)k * K + col];
    buffer[threadIdx.x] = s;
    __syncthreads();
    const int other = 63 - threadIdx.x;
    if (c0 + other < K) C[row * K + c0 + other] = buffer[other];
    __syncthreads();
  }
  if (threadIdx.x == 0) free(buffer);
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  mm<<<M, 64>>>(A, B, C, M, N, K);
  cudaDeviceSynchronize();
}
