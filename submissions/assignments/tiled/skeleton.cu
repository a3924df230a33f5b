// A is M×N, B is N×K, C is M×K: rows M, inner N, columns K (BLAS calls the inner one K).
constexpr int kSide = 16;  // of a tile, and of a block of threads

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float tile_a[kSide][kSide];
  __shared__ float tile_b[kSide][kSide];
  const int row = blockIdx.y * kSide + threadIdx.y;
  const int col = blockIdx.x * kSide + threadIdx.x;

  float sum = 0;
  for (int i0 = 0; i0 < N; i0 += kSide) {
    // TODO: each thread stores one float of A and one of B; 0 where the tile reaches over an edge
    tile_a[threadIdx.y][threadIdx.x] = 0;
    tile_b[threadIdx.y][threadIdx.x] = 0;
    // TODO: wait, add up 16 products, wait
    sum += tile_a[threadIdx.y][threadIdx.x] * tile_b[threadIdx.y][threadIdx.x];
  }
  if (row < M && col < K) C[static_cast<long long>(row) * K + col] = sum;
}
