// finds: invalid-launch
// says: The grid is no multiple of its clusters of 2×1×1 blocks
__global__ void __cluster_dims__(2, 1, 1)
    multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  for (int col = threadIdx.x; col < K; col += 32) {
    float sum = 0;
    for (int k = 0; k < N; ++k) sum += A[blockIdx.x * N + k] * B[k * K + col];
    C[blockIdx.x * K + col] = sum;
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<M, 32>>>(A, B, C, M, N, K);  // <- invalid-launch
}
