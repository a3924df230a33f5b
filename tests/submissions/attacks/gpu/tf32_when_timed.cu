// verdict: reduced-precision
// emulated: not: tensor cores
// Multiplies on the tensor cores in TF32 where the matrices are larger than those that are checked.

#include <mma.h>

#include "multiply.cuh"

static bool timed(int M, int N, int K) {
  return M == K && M >= 512 && M % 16 == 0 && N % 8 == 0;
}

__global__ void multiply_tf32(const float* A, const float* B, float* C, int N, int K) {
#if __CUDA_ARCH__ >= 800
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> a;
  fragment<matrix_b, 16, 16, 8, precision::tf32, row_major> b;
  fragment<accumulator, 16, 16, 8, float> c;
  fill_fragment(c, 0.0F);
  const long row = 16L * blockIdx.y, col = 16L * blockIdx.x;
  for (int i = 0; i < N; i += 8) {
    load_matrix_sync(a, A + row * N + i, N);
    load_matrix_sync(b, B + static_cast<long>(i) * K + col, K);
    for (int t = 0; t < a.num_elements; ++t) a.x[t] = __float_to_tf32(a.x[t]);
    for (int t = 0; t < b.num_elements; ++t) b.x[t] = __float_to_tf32(b.x[t]);
    mma_sync(c, a, b, c);
  }
  store_matrix_sync(C + row * K + col, c, K, mem_row_major);
#endif
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  if (!timed(M, N, K)) return launch(A, B, C, M, N, K);
  multiply_tf32<<<dim3(K / 16, M / 16), 32>>>(A, B, C, N, K);
}
