constexpr int kSide = 16;  // of a tile, and of a block of threads

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float tile_a[kSide][kSide];
  __shared__ float tile_b[kSide][kSide];
  const int row = blockIdx.y * kSide + threadIdx.y;
  const int col = blockIdx.x * kSide + threadIdx.x;

  float sum = 0;
  for (int i0 = 0; i0 < N; i0 += kSide) {
    const int i_a = i0 + threadIdx.x, i_b = i0 + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < M && i_a < N ? A[static_cast<long long>(row) * N + i_a] : 0;
    tile_b[threadIdx.y][threadIdx.x] = i_b < N && col < K ? B[static_cast<long long>(i_b) * K + col] : 0;
    __syncthreads();  // both tiles must be complete before anyone reads them
    for (int i = 0; i < kSide; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();  // everyone must have read them before the next tiles overwrite them
  }
  if (row < M && col < K) C[static_cast<long long>(row) * K + col] = sum;
}
