// gpu.tensor's split into digits, and the other one for data that digits do not hold, with a product in FP64 of what they
// wrote: the kernels that a CPU can run. For one product or a batch, whose matrices have gaps between them.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <memory>
#include <string>

#include "core/gemm/implementation.h"
#include "gpu/check.h"
#include "gpu/describe.h"
#include "gpu/device.h"
#include "gpu/gemm/session.h"
#include "gpu/gemm/tensor/stages.h"
#include "gpu/stream.h"

namespace gemmlab::gpu {
namespace {

using parts::Arithmetic;

/// Element k of a scaled row of `rows` in parts, as a number.
__device__ double number(const std::uint16_t* parts, int rows, int row, int k, const parts::Work& work,
                         Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::kDigits) {
    const auto* const digits = reinterpret_cast<const signed char*>(parts);
    const auto pitch = parts::pitch_of_digits(work.K);
    double sum = 0;
    for (int digit = 0; digit < parts::kDigits; ++digit)
      sum = sum * 256 + digits[(digit * rows + row) * pitch + k];
    return sum;
  }
  double sum = 0;
  for (int part = 0; part < (arithmetic == Arithmetic::kHalf ? 2 : 3); ++part) {
    const std::uint16_t bits = parts[(part * rows + row) * work.pitch + k];
    sum += arithmetic == Arithmetic::kHalf ? __half2float(__ushort_as_half(bits))
                                           : __bfloat162float(__ushort_as_bfloat16(bits));
  }
  return sum;
}

__global__ void product_kernel(parts::Work work) {
  const Arithmetic arithmetic = parts::arithmetic_with_digits(*work.findings, work.K);
  if (arithmetic == Arithmetic::kPlain) return;
  const int row = blockIdx.x;
  const int product = blockIdx.y;
  const int row_of_all = row + (work.stride_a == 0 ? 0 : product * work.M);
  const int rows = work.stride_a == 0 ? work.M : work.M * work.batch;
  const int cols = work.stride_b == 0 ? work.N : work.N * work.batch;
  for (int col = threadIdx.x; col < work.N; col += blockDim.x) {
    const int col_of_all = col + (work.stride_b == 0 ? 0 : product * work.N);
    double sum = 0;
    for (int k = 0; k < work.K; ++k)
      sum += number(work.parts_a, rows, row_of_all, k, work, arithmetic) *
             number(work.parts_b, cols, col_of_all, k, work, arithmetic);
    work.c[product * work.stride_c + row * work.N + col] =
        static_cast<float>(ldexp(sum, -work.scales[row_of_all] - work.scales[rows + col_of_all]));
  }
}

class SplitSession : public GemmSession {
 public:
  /// `gap`: floats between the products' matrices; -1: all have one A, -2: one B.
  SplitSession(const Shape& shape, bool transpose_a, bool transpose_b, std::int64_t batch, std::int64_t gap)
      : state_(sizeof(parts::Findings) +
               sizeof(unsigned) * static_cast<std::size_t>(batch * (shape.m + shape.n))),
        scales_(sizeof(int) * static_cast<std::size_t>(batch * (shape.m + shape.n))),
        found_(sizeof(parts::Findings)),
        sizes_(sizeof(float) * static_cast<std::size_t>(batch * parts::sizes_of_digits(shape.m, shape.n))),
        parts_a_(parts_bytes(batch * shape.m, shape.k)),
        parts_b_(parts_bytes(batch * shape.n, shape.k)) {
    const std::int64_t between = gap < 0 ? 0 : gap;
    work_.batch = static_cast<int>(batch);
    work_.stride_a = gap == -1 ? 0 : shape.a_count() + between;
    work_.stride_b = gap == -2 ? 0 : shape.b_count() + between;
    work_.stride_c = shape.c_count() + between;
    work_.M = static_cast<int>(shape.m);
    work_.N = static_cast<int>(shape.n);
    work_.K = static_cast<int>(shape.k);
    work_.transpose_a = transpose_a;
    work_.transpose_b = transpose_b;
    work_.lda = transpose_a ? work_.M : work_.K;
    work_.ldb = transpose_b ? work_.K : work_.N;
    work_.ldc = work_.N;
    work_.findings = static_cast<parts::Findings*>(state_.data());
    work_.largest = reinterpret_cast<unsigned*>(work_.findings + 1);
    work_.scales = static_cast<int*>(scales_.data());
    work_.found = static_cast<parts::Findings*>(found_.data());
    work_.sizes = static_cast<float*>(sizes_.data());
    work_.parts_a = static_cast<std::uint16_t*>(parts_a_.data());
    work_.parts_b = static_cast<std::uint16_t*>(parts_b_.data());
    work_.pitch = static_cast<int>(parts::pitch_of(shape.k));
    work_.multiprocessors = 2;
    GEMMLAB_CUDA_CHECK(cudaMemsetAsync(work_.found, 0, sizeof(parts::Findings), current_stream()));
  }

  void multiply(const float* a, const float* b, float* c) override {
    work_.a = a;
    work_.b = b;
    work_.c = c;
    parts::launch_digits(work_);
    parts::launch_other_split(work_);
    product_kernel<<<dim3(work_.M, work_.batch), 32, 0, current_stream()>>>(work_);
    GEMMLAB_CUDA_CHECK(cudaGetLastError());
    GEMMLAB_CUDA_CHECK(
        cudaMemcpyAsync(&last_, work_.findings, sizeof(last_), cudaMemcpyDeviceToHost, current_stream()));
    GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(current_stream()));
  }

  Facts chosen() const override {
    return {{"arithmetic", static_cast<std::int64_t>(parts::arithmetic_with_digits(last_, work_.K))},
            {"most_small", std::int64_t{last_.small_digits[0] + last_.small_digits[1]}}};
  }

 private:
  static std::size_t parts_bytes(std::int64_t rows, std::int64_t K) {
    return sizeof(std::uint16_t) * parts::kMostParts * static_cast<std::size_t>(rows * parts::pitch_of(K));
  }

  DeviceMemory state_;
  DeviceMemory scales_;
  DeviceMemory found_;
  DeviceMemory sizes_;
  DeviceMemory parts_a_;
  DeviceMemory parts_b_;
  parts::Work work_;
  parts::Findings last_ = {};
};

class SplitProduct : public GemmImplementation {
 public:
  SplitProduct() {
    for (const char* name : {"transpose_a", "transpose_b", "batch", "gap"}) {
      ParameterSpec one;
      one.name = name;
      one.minimum = -2;
      one.maximum = 100;
      one.default_value = std::int64_t{name == std::string("batch")};
      description_.parameters.push_back(one);
    }
  }
  const Description& description() const override { return description_; }
  std::string why_not(const Shape&, const Parameters&) const override { return {}; }
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override {
    // a batch comes in matrices that hold all of it and a row or column more for the gaps
    const std::int64_t batch = integer(parameters, "batch");
    const Shape one = batch == 1 ? shape : Shape{(shape.m - 1) / batch, (shape.n - 1) / batch, shape.k};
    return std::make_unique<SplitSession>(one, integer(parameters, "transpose_a") != 0,
                                          integer(parameters, "transpose_b") != 0, batch,
                                          integer(parameters, "gap"));
  }

 private:
  Description description_ = describe({.id = "gpu.split_product", .summary = "", .source = ""});
};

}  // namespace

const Implementation& split_product() {
  static const SplitProduct implementation;
  return implementation;
}

}  // namespace gemmlab::gpu
