// verdict: correct
// Kernels from templates with launch bounds, chosen by what the sizes allow.

#include <type_traits>


template <int kRows, int kCols, class Index>
struct Tile {
  static constexpr int kThreads = kRows * kCols;
  __device__ static Index row() { return static_cast<Index>(blockIdx.y) * kRows + threadIdx.x / kCols; }
  __device__ static Index col() { return static_cast<Index>(blockIdx.x) * kCols + threadIdx.x % kCols; }
};

template <class Tile, bool kWhole, int kStep, class Index>
__global__ void __launch_bounds__(Tile::kThreads, 2)
    multiply(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  const Index row = Tile::row(), col = Tile::col();
  if (!kWhole && (row >= M || col >= K)) return;
  float sum = 0;
  int i = 0;
  for (; i + kStep <= N; i += kStep) {
#pragma unroll
    for (int j = 0; j < kStep; ++j) sum += A[row * N + i + j] * B[static_cast<Index>(i + j) * K + col];
  }
  for (; i < N; ++i) sum += A[row * N + i] * B[static_cast<Index>(i) * K + col];
  C[row * K + col] = sum;
}

template <bool kWhole, class Index>
static void launch(const float* A, const float* B, float* C, int M, int N, int K) {
  using Chosen = Tile<8, 32, Index>;
  multiply<Chosen, kWhole, 4, Index><<<dim3((K + 31) / 32, (M + 7) / 8), Chosen::kThreads>>>(A, B, C, M, N, K);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  if (M % 8 == 0 && K % 32 == 0) return launch<true, long long>(A, B, C, M, N, K);
  launch<false, long long>(A, B, C, M, N, K);
}
