// verdict: incorrect
// pattern: race
// The second __syncthreads is missing: warps that are done load the next tile while others still read this
// one. Warps pause for a while of their own each, as waiting for memory would have them do, so that it shows
// on any card.

#include <cstdint>

constexpr int kTile = 32;  // a warp a row of the tile

/// Up to some thousand cycles, other ones for each warp and each time.
__device__ void wait_a_while() {
  const long long begin = clock64();
  const unsigned mixed = (static_cast<unsigned>(begin) + threadIdx.y * 97) * 2654435761u;
  const long long cycles = mixed >> 20;
  while (clock64() - begin < cycles) {
  }
}

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int row = blockIdx.x * kTile + threadIdx.y;
  const int col = blockIdx.y * kTile + threadIdx.x;
  float sum = 0;
  for (int i0 = 0; i0 < N; i0 += kTile) {
    const int i_a = i0 + threadIdx.x;
    const int i_b = i0 + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < M && i_a < N ? A[static_cast<std::int64_t>(row) * N + i_a] : 0;
    tile_b[threadIdx.y][threadIdx.x] = i_b < N && col < K ? B[static_cast<std::int64_t>(i_b) * K + col] : 0;
    __syncthreads();
    wait_a_while();
    for (int i = 0; i < kTile; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
  }
  if (row < M && col < K) C[static_cast<std::int64_t>(row) * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 threads(kTile, kTile);
  const dim3 blocks((M + kTile - 1) / kTile, (K + kTile - 1) / kTile);
  multiply<<<blocks, threads>>>(A, B, C, M, N, K);
}
