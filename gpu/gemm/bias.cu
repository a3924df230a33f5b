#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <stdexcept>
#include <string>

#include "core/rounding.h"
#include "gpu/device/launch.h"
#include "gpu/gemm/bias.h"

namespace gemmlab::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kEach = 4;  // reads of a thread under way

__device__ inline float widened(float value) {
  return value;
}
__device__ inline float widened(__nv_bfloat16 value) {
  return __bfloat162float(value);
}
__device__ inline float widened(__half value) {
  return __half2float(value);
}
__device__ inline void store(float* to, float value) {
  *to = value;
}
__device__ inline void store(__nv_bfloat16* to, float value) {
  *to = __float2bfloat16_rn(value);
}
__device__ inline void store(__half* to, float value) {
  *to = __float2half_rn(value);
}

/// `width` threads of a block stand side by side in a row, the others below.
template <typename Bias, typename Out>
__global__ void __launch_bounds__(kThreads)
    add_bias(const float* sums, std::int64_t stride, const Bias* bias, Out* C, std::int64_t ldc,
             std::int64_t rows, std::int64_t cols, int width, unsigned blocks_across) {
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x / blocks_across) * (kThreads / width) + threadIdx.x / width;
  const std::int64_t col0 =
      static_cast<std::int64_t>(blockIdx.x % blocks_across) * (width * kEach) + threadIdx.x % width;
  if (row >= rows) return;
  float all[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const std::int64_t col = col0 + i * width;
    if (col < cols) all[i] = sums[row * stride + col] + widened(bias[col]);
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const std::int64_t col = col0 + i * width;
    if (col < cols) store(C + row * ldc + col, all[i]);
  }
}

/// Calls work(a pointer to the type).
template <typename Work>
void with_type(ElementType type, const Work& work) {
  switch (type) {
    case ElementType::kFloat32:
      return work(static_cast<float*>(nullptr));
    case ElementType::kBfloat16:
      return work(static_cast<__nv_bfloat16*>(nullptr));
    case ElementType::kFloat16:
      return work(static_cast<__half*>(nullptr));
    default:
      throw std::invalid_argument(std::string("a bias and what it is added to are not ") + to_string(type));
  }
}

}  // namespace

void launch_add_bias(const float* sums, std::int64_t stride, const void* bias, ElementType type, void* C,
                     const StoredMatrix& c, ElementType result) {
  if (c.rows == 0 || c.cols == 0) return;
  int width = 1;
  while (width < kThreads && width * kEach < c.cols) width *= 2;
  const std::int64_t across = ceil_div(c.cols, width * kEach);
  const std::int64_t down = ceil_div(c.rows, kThreads / width);
  with_type(type, [&](auto of_bias) {
    with_type(result, [&](auto of_result) {
      using Bias = std::remove_pointer_t<decltype(of_bias)>;
      using Out = std::remove_pointer_t<decltype(of_result)>;
      launch(add_bias<Bias, Out>, down * across, dim3(kThreads), 0, sums, stride,
             static_cast<const Bias*>(bias), static_cast<Out*>(C), c.stride, c.rows, c.cols, width,
             static_cast<unsigned>(across));
    });
  });
}

}  // namespace gemmlab::gpu
