// finds: out-of-bounds
// names: A
// shape: 8x6x8
// Whole vectors of a row of which the last is not whole: past the end in the last row.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; k += 4) {
    const float2* a = reinterpret_cast<const float2*>(&A[row * N + k]);
    const float2 low = a[0];
    const float2 high = a[1];  // <- out-of-bounds
    const float four[4] = {low.x, low.y, high.x, high.y};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (k + i < N) sum += four[i] * B[(k + i) * K + col];
    }
  }
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 threads(16, 16);
  const dim3 blocks((K + 15) / 16, (M + 15) / 16);
  multiply<<<blocks, threads>>>(A, B, C, M, N, K);
}
