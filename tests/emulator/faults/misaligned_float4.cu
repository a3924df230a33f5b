// finds: misaligned
// names: B
// error: 716
// A row of B begins at a multiple of 16 bytes only where K is a multiple of 4.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (row >= M || col + 3 >= K) return;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int k = 0; k < N; ++k) {
    const float a = A[row * N + k];
    const float4 b = *reinterpret_cast<const float4*>(&B[k * K + col]);  // <- misaligned
    sum = make_float4(sum.x + a * b.x, sum.y + a * b.y, sum.z + a * b.z, sum.w + a * b.w);
  }
  C[row * K + col] = sum.x;
  C[row * K + col + 1] = sum.y;
  C[row * K + col + 2] = sum.z;
  C[row * K + col + 3] = sum.w;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((K + 63) / 64, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
