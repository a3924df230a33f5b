// verdict: correct
// A tile of eight threads for each element, which add up by its reduction.

#include <cooperative_groups.h>


namespace cg = cooperative_groups;

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const long element = (static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x) / 8;
  if (element >= static_cast<long>(M) * K) return;
  const long row = element / K, col = element % K;
  float sum = 0;
  for (int i = tile.thread_rank(); i < N; i += 8) sum += A[row * N + i] * B[static_cast<long>(i) * K + col];
  for (int step = 4; step > 0; step /= 2) sum += tile.shfl_down(sum, step);
  if (tile.thread_rank() == 0) C[element] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const long threads = 8L * M * K;
  multiply<<<static_cast<unsigned>((threads + 127) / 128), 128>>>(A, B, C, M, N, K);
}
