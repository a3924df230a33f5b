// finds: barrier-divergence
// may find: race, uninitialised-shared
// The upper half of the block waits where the lower half never comes.

constexpr int kTile = 16;

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[kTile][kTile];
  __shared__ float Bs[kTile][kTile];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = blockIdx.y * kTile + y;
  const int col = blockIdx.x * kTile + x;
  float sum = 0;
  for (int k0 = 0; k0 < N; k0 += kTile) {
    As[y][x] = row < M && k0 + x < N ? A[row * N + k0 + x] : 0;    // <- race
    Bs[y][x] = k0 + y < N && col < K ? B[(k0 + y) * K + col] : 0;  // <- race
    if (y < kTile / 2) __syncthreads();                            // <- barrier-divergence
    for (int k = 0; k < kTile; ++k) sum += As[y][k] * Bs[k][x];    // <- race, uninitialised-shared
    __syncthreads();
  }  // <- barrier-divergence
  if (row < M && col < K) C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 blocks((K + kTile - 1) / kTile, (M + kTile - 1) / kTile);
  multiply<<<blocks, dim3(kTile, kTile)>>>(A, B, C, M, N, K);
}
