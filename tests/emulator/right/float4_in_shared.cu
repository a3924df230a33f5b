// Vectors of four floats in shared memory, written by element and read whole.

constexpr int kTile = 16;

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ alignas(16) float As[kTile][kTile + 4];
  __shared__ float4 Bs[kTile][kTile / 4];  // transposed: four steps of a column
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = blockIdx.y * kTile + y;
  const int col = blockIdx.x * kTile + x;
  float sum = 0;
  for (int k0 = 0; k0 < N; k0 += kTile) {
    As[y][x] = row < M && k0 + x < N ? A[row * N + k0 + x] : 0;
    reinterpret_cast<float*>(Bs[x])[y] = k0 + y < N && col < K ? B[(k0 + y) * K + col] : 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; k += 4) {
      const float4 a = *reinterpret_cast<const float4*>(&As[y][k]);
      const float4 b = Bs[x][k / 4];
      sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    __syncthreads();
  }
  if (row < M && col < K) C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 blocks((K + kTile - 1) / kTile, (M + kTile - 1) / kTile);
  multiply<<<blocks, dim3(kTile, kTile)>>>(A, B, C, M, N, K);
}
