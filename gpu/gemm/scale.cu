#include <algorithm>

#include "core/rounding.h"
#include "gpu/device/launch.h"
#include "gpu/gemm/scale.h"

namespace gemmlab::gpu {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMostBlocks = 4096;

__global__ void __launch_bounds__(kThreads)
    scale_rows(float* C, std::int64_t rows, std::int64_t cols, std::int64_t ldc, float beta) {
  const std::int64_t all = rows * cols;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(kThreads) + threadIdx.x; i < all; i += step) {
    float* to = C + i / cols * ldc + i % cols;
    *to = beta == 0 ? 0 : beta * *to;
  }
}

/// `width` threads of a block stand side by side in a row, the others below; each has kEach reads of
/// C under way.
constexpr int kEach = 4;

__global__ void __launch_bounds__(kThreads)
    add_to(float* C, std::int64_t ldc, float beta, const float* added, std::int64_t rows, std::int64_t cols,
           int width, unsigned blocks_across) {
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x / blocks_across) * (kThreads / width) + threadIdx.x / width;
  const std::int64_t col0 =
      static_cast<std::int64_t>(blockIdx.x % blocks_across) * (width * kEach) + threadIdx.x % width;
  if (row >= rows) return;
  float sums[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const std::int64_t col = col0 + i * width;
    if (col >= cols) continue;
    sums[i] = added[row * cols + col];
    if (beta != 0) sums[i] += beta * C[row * ldc + col];
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const std::int64_t col = col0 + i * width;
    if (col < cols) C[row * ldc + col] = sums[i];
  }
}

class ScaleSession : public GemmSession {
 public:
  ScaleSession(const Shape& shape, const GemmForm& form) : c_(stored_c(shape, form)), beta_(form.beta) {}

  void multiply(const float*, const float*, float* c) override {
    const std::int64_t elements = c_.rows * c_.cols;
    if (elements == 0 || beta_ == 1) return;
    launch(scale_rows, std::min(ceil_div(elements, kThreads), kMostBlocks), dim3(kThreads), 0, c, c_.rows,
           c_.cols, c_.stride, beta_);
  }

 private:
  StoredMatrix c_;
  float beta_;
};

}  // namespace

void launch_add_to(float* C, const StoredMatrix& c, float beta, const float* added) {
  int width = 1;
  while (width < kThreads && width * kEach < c.cols) width *= 2;
  const std::int64_t across = ceil_div(c.cols, width * kEach);
  const std::int64_t down = ceil_div(c.rows, kThreads / width);
  launch(add_to, down * across, dim3(kThreads), 0, C, c.stride, beta, added, c.rows, c.cols, width,
         static_cast<unsigned>(across));
}

std::unique_ptr<Session> make_scale_session(const Shape& shape, const GemmForm& form) {
  return std::make_unique<ScaleSession>(shape, form);
}

}  // namespace gemmlab::gpu
