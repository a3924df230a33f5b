// gpu.tensor's split into digits, and the other one for data that digits do not hold, with a product in FP64 of what they
// wrote: the kernels that a CPU can run.

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
  for (int col = threadIdx.x; col < work.N; col += blockDim.x) {
    double sum = 0;
    for (int k = 0; k < work.K; ++k)
      sum += number(work.parts_a, work.M, row, k, work, arithmetic) *
             number(work.parts_b, work.N, col, k, work, arithmetic);
    work.c[row * work.N + col] =
        static_cast<float>(ldexp(sum, -work.scales[row] - work.scales[work.M + col]));
  }
}

class SplitSession : public GemmSession {
 public:
  SplitSession(const Shape& shape, bool transpose_a, bool transpose_b)
      : state_(sizeof(parts::Findings) + sizeof(unsigned) * static_cast<std::size_t>(shape.m + shape.n)),
        scales_(sizeof(int) * static_cast<std::size_t>(shape.m + shape.n)),
        found_(sizeof(parts::Findings)),
        sizes_(sizeof(float) * static_cast<std::size_t>(parts::sizes_of_digits(shape.m, shape.n))),
        parts_a_(parts_bytes(shape.m, shape.k)),
        parts_b_(parts_bytes(shape.n, shape.k)) {
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
    product_kernel<<<work_.M, 32, 0, current_stream()>>>(work_);
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
    for (const char* name : {"transpose_a", "transpose_b"}) {
      ParameterSpec one;
      one.name = name;
      one.maximum = 1;
      one.default_value = std::int64_t{0};
      description_.parameters.push_back(one);
    }
  }
  const Description& description() const override { return description_; }
  std::string why_not(const Shape&, const Parameters&) const override { return {}; }
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override {
    return std::make_unique<SplitSession>(shape, integer(parameters, "transpose_a") != 0,
                                          integer(parameters, "transpose_b") != 0);
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
