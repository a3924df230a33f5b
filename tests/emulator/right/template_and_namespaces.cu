// Templates of two parameters, a namespace, a macro that launches, and a launch over several lines.

#include <type_traits>

namespace tiles {
namespace {

template <typename T, int SIDE>
struct Tile {
  T at[SIDE][SIDE + (SIDE > 8 ? 1 : 0)];
};

template <typename T, int SIDE, bool EDGES>
__global__ void __launch_bounds__(SIDE* SIDE) multiply(const T* A, const T* B, T* C, int M, int N, int K) {
  __shared__ Tile<T, SIDE> a, b;
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * SIDE + y, col = blockIdx.x * SIDE + x;
  T sum = 0;
  for (int k0 = 0; k0 < N; k0 += SIDE) {
    if constexpr (EDGES) {
      a.at[y][x] = row < M && k0 + x < N ? A[row * N + k0 + x] : T(0);
      b.at[y][x] = k0 + y < N && col < K ? B[(k0 + y) * K + col] : T(0);
    } else {
      a.at[y][x] = A[row * N + k0 + x];
      b.at[y][x] = B[(k0 + y) * K + col];
    }
    __syncthreads();
#pragma unroll SIDE
    for (int k = 0; k < SIDE; ++k) sum += a.at[y][k] * b.at[k][x];
    __syncthreads();
  }
  if (!EDGES || (row < M && col < K)) C[row * K + col] = sum;
}

}  // namespace
}  // namespace tiles

#define LAUNCH(kernel, ...) kernel<<<blocks, threads>>>(__VA_ARGS__)

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int kSide = 8;
  const dim3 threads(kSide, kSide);
  const dim3 blocks((K + kSide - 1) / kSide, (M + kSide - 1) / kSide);
  if (M % kSide == 0 && N % kSide == 0 && K % kSide == 0)
    LAUNCH((tiles::multiply<float, kSide, false>), A, B, C, M, N, K);
  else
    tiles::multiply<std::remove_const_t<const float>, kSide, true>
        <<<blocks, threads, 0, nullptr>>>(A, B, C,  // both edges
                                          M, N, K);
}
