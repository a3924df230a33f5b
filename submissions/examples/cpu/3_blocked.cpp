// Blocks of B that stay in a core's own cache while every row of A passes over them.
//
// What it buys: 2_openmp.cpp reads all of B from far away for each row of C. Here a block of kInner×kCols
// floats of B (128 KiB) is fetched once and used for all rows of the thread. Four steps of the inner
// dimension are taken at once, so that each float of C is loaded and stored once for four multiplications,
// not for one. What is left: C still goes through the cache with every four multiplications. Registers are
// nearer.

#include <algorithm>
#include <cstdint>

namespace {

constexpr std::int64_t kInner = 64;
constexpr std::int64_t kCols = 512;

/// c[0, cols) += a[0, inner) · the block at b, whose rows lie `stride` floats apart.
void add_block(const float* a, const float* b, std::int64_t stride, float* __restrict c, std::int64_t inner,
               std::int64_t cols) {
  std::int64_t i = 0;
  for (; i + 4 <= inner; i += 4) {
    const float a0 = a[i], a1 = a[i + 1], a2 = a[i + 2], a3 = a[i + 3];
    const float* b0 = b + i * stride;
    const float* b1 = b0 + stride;
    const float* b2 = b1 + stride;
    const float* b3 = b2 + stride;
    for (std::int64_t col = 0; col < cols; ++col) {
      c[col] += a0 * b0[col] + a1 * b1[col] + a2 * b2[col] + a3 * b3[col];
    }
  }
  for (; i < inner; ++i) {  // what is left where `inner` is not a multiple of 4
    const float a0 = a[i];
    const float* b0 = b + i * stride;
    for (std::int64_t col = 0; col < cols; ++col) c[col] += a0 * b0[col];
  }
}

}  // namespace

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const std::int64_t rows = M, inner = N, cols = K;
  const bool worthwhile = static_cast<double>(rows) * inner * cols > 1e5;
#pragma omp parallel if (worthwhile)
  for (std::int64_t col0 = 0; col0 < cols; col0 += kCols) {
    const std::int64_t width = std::min(kCols, cols - col0);
    for (std::int64_t i0 = 0; i0 < inner; i0 += kInner) {
      const std::int64_t depth = std::min(kInner, inner - i0);
      // static without a chunk size gives a thread the same rows each time, so that no thread needs to wait
      // for another between two blocks: nowait
#pragma omp for schedule(static) nowait
      for (std::int64_t row = 0; row < rows; ++row) {
        float* c = C + row * cols + col0;
        if (i0 == 0) std::fill_n(c, width, 0.0f);
        add_block(A + row * inner + i0, B + i0 * cols + col0, cols, c, depth, width);
      }
    }
  }
}
