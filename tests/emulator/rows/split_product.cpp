// gpu.tensor's split into digits, and the other one for data that digits do not hold, with a product in FP64 of what they
// wrote: the kernels that a CPU can run. For one product or a batch, whose matrices have gaps between them.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <memory>
#include <string>

#include "gpu/describe.h"
#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "gpu/device/stream.h"
#include "gpu/gemm/session.h"
#include "gpu/gemm/tensor/stages.h"
#include "operations/gemm/implementation.h"

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
    sum += arithmetic == Arithmetic::kBfloat
               ? __bfloat162float(__ushort_as_bfloat16(bits))
               : __half2float(__ushort_as_half(bits)) / (part == 0 ? 1 : parts::kRaisedLow);
  }
  return sum;
}

__global__ void product_kernel(parts::Work work) {
  const Arithmetic arithmetic = parts::arithmetic_after(*work.findings, work.first_split(), work.K);
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
    work.c[product * work.stride_c + row * work.ldc + col] =
        static_cast<float>(ldexp(sum, -work.scales_a[row_of_all] - work.scales_b[col_of_all]));
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
        sizes_(sizeof(float) *
               static_cast<std::size_t>(batch * parts::sizes_of_first_split(shape.m, shape.n))),
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
    work_.largest_a = reinterpret_cast<unsigned*>(work_.findings + 1);
    work_.largest_b = work_.largest_a + work_.rows_of_a();
    work_.scales_a = static_cast<int*>(scales_.data());
    work_.scales_b = work_.scales_a + work_.rows_of_a();
    work_.found = static_cast<parts::Findings*>(found_.data());
    work_.sizes = static_cast<float*>(sizes_.data());
    work_.parts_a = static_cast<std::uint16_t*>(parts_a_.data());
    work_.parts_b = static_cast<std::uint16_t*>(parts_b_.data());
    work_.pitch = static_cast<int>(parts::pitch_of(shape.k));
    work_.multiprocessors = 2;
    work_.choice.digits = true;
    GEMMLAB_CUDA_CHECK(cudaMemsetAsync(work_.found, 0, sizeof(parts::Findings), current_stream()));
  }

  /// Of a block of larger matrices, whose leading dimensions are given.
  void lie_in(int lda, int ldb, int ldc) {
    work_.lda = lda;
    work_.ldb = ldb;
    work_.ldc = ldc;
  }
  void begin_with_pairs() { work_.choice.digits = false; }
  const parts::Work& work() const { return work_; }
  void share(const parts::Work* first, const parts::Work* same_a, const parts::Work* same_b) {
    parts::share(work_, first, same_a, same_b);
  }

  void multiply(const float* a, const float* b, float* c) override {
    work_.a = a;
    work_.b = b;
    work_.c = c;
    parts::launch_first_split(work_);
    parts::launch_other_split(work_);
    product_kernel<<<dim3(work_.M, work_.batch), 32, 0, current_stream()>>>(work_);
    GEMMLAB_CUDA_CHECK(cudaGetLastError());
    GEMMLAB_CUDA_CHECK(
        cudaMemcpyAsync(&last_, work_.findings, sizeof(last_), cudaMemcpyDeviceToHost, current_stream()));
    GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(current_stream()));
  }

  Facts chosen() const override {
    return {{"arithmetic",
             static_cast<std::int64_t>(parts::arithmetic_after(last_, work_.first_split(), work_.K))},
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

/// One product in four blocks that share their halves of A and of B.
class FourBlocks : public GemmSession {
 public:
  FourBlocks(const Shape& shape, bool transpose_a, bool transpose_b)
      : shape_(shape), transpose_a_(transpose_a), transpose_b_(transpose_b) {
    const auto work = [&](int block) { return &blocks_[static_cast<std::size_t>(block)]->work(); };
    for (int block = 0; block < 4; ++block) {
      const bool low = block >= 2;
      const bool right = block % 2 == 1;
      const Shape one{low ? shape.m - shape.m / 2 : shape.m / 2, right ? shape.n - shape.n / 2 : shape.n / 2,
                      shape.k};
      blocks_.push_back(std::make_unique<SplitSession>(one, transpose_a, transpose_b, 1, 0));
      blocks_.back()->lie_in(static_cast<int>(transpose_a ? shape.m : shape.k),
                             static_cast<int>(transpose_b ? shape.k : shape.n), static_cast<int>(shape.n));
      if (block > 0)
        blocks_.back()->share(work(0), right ? work(block - 1) : nullptr, low ? work(block - 2) : nullptr);
    }
  }

  void multiply(const float* a, const float* b, float* c) override {
    const std::int64_t row = shape_.m / 2;
    const std::int64_t col = shape_.n / 2;
    for (std::size_t block = 0; block < 4; ++block) {
      const std::int64_t row0 = block >= 2 ? row : 0;
      const std::int64_t col0 = block % 2 == 1 ? col : 0;
      blocks_[block]->multiply(a + row0 * (transpose_a_ ? 1 : shape_.k),
                               b + col0 * (transpose_b_ ? shape_.k : 1), c + row0 * shape_.n + col0);
    }
  }
  Facts chosen() const override { return blocks_.back()->chosen(); }

 private:
  Shape shape_;
  bool transpose_a_;
  bool transpose_b_;
  std::vector<std::unique_ptr<SplitSession>> blocks_;
};

class SplitProduct : public GemmImplementation {
 public:
  SplitProduct() {
    for (const char* name : {"transpose_a", "transpose_b", "batch", "gap", "four_blocks", "pairs_first"}) {
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
    if (integer(parameters, "four_blocks") != 0)
      return std::make_unique<FourBlocks>(shape, integer(parameters, "transpose_a") != 0,
                                          integer(parameters, "transpose_b") != 0);
    const Shape one = batch == 1 ? shape : Shape{(shape.m - 1) / batch, (shape.n - 1) / batch, shape.k};
    auto session = std::make_unique<SplitSession>(one, integer(parameters, "transpose_a") != 0,
                                                  integer(parameters, "transpose_b") != 0, batch,
                                                  integer(parameters, "gap"));
    if (integer(parameters, "pairs_first") != 0) session->begin_with_pairs();
    return session;
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
