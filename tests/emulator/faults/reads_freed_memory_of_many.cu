// finds: out-of-bounds
// error: any
// Of many pieces that were freed the last ones are known as such, although older ones have been handed out again.
__global__ void multiply(const float* A, const float* B, const float* zero, float* C, int M, int N, int K) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= M * K) return;
  float sum = zero[0];  // <- out-of-bounds
  for (int k = 0; k < N; ++k) sum += A[at / K * N + k] * B[k * K + at % K];
  C[at] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  float* zero = nullptr;
  for (int turn = 0; turn < 200; ++turn) {
    cudaMalloc(&zero, sizeof(float));
    cudaMemset(zero, 0, sizeof(float));
    cudaFree(zero);
  }
  multiply<<<(M * K + 127) / 128, 128>>>(A, B, zero, C, M, N, K);
}
