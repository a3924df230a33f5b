#include <algorithm>
#include <limits>

#include "gpu/call_row.h"
#include "gpu/describe.h"
#include "gpu/device/check.h"
#include "gpu/device/launch.h"
#include "gpu/gemv/tuned.h"

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kFloatsIn16Bytes = 4;

class GemvSession : public Session {
 public:
  explicit GemvSession(const Instance& instance)
      : gemv_(instance.dims[0], instance.dims[1],
              std::get<std::int64_t>(instance.option("transpose_a")) != 0) {}

  void run(const Operands& operands) override {
    gemv_.run(operands.in<float>(0), operands.in<float>(1), operands.out<float>(2));
  }
  Facts chosen() const override { return gemv_.chosen(); }
  Facts resources() const override { return gemv_.resources(); }

 private:
  Gemv gemv_;
};

}  // namespace

int resident_blocks(GemvKernel kernel) {
  int device = 0;
  int sms = 0;
  int blocks = 0;
  GEMMLAB_CUDA_CHECK(cudaGetDevice(&device));
  GEMMLAB_CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  GEMMLAB_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kGemvThreads, 0));
  return sms * blocks;
}

int splits_for(int groups, int slots, std::int64_t terms, std::int64_t least) {
  // Four rounds of blocks even out who finishes first, if a block then still has a long way; else one round,
  // never begun and left unfinished.
  constexpr std::int64_t kRounds = 4;
  constexpr std::int64_t kLong = 4;
  const std::int64_t many = std::min<std::int64_t>(kRounds * slots / groups, terms / (kLong * least));
  const std::int64_t few = std::min<std::int64_t>(slots / groups, terms / least);
  return static_cast<int>(std::max({std::int64_t{1}, many, few}));
}

Gemv::Gemv(std::int64_t m, std::int64_t n, bool transposed)
    : m_(m),
      n_(n),
      transposed_(transposed),
      aligned_(transposed ? plan_columns(m, n, true) : plan_rows(m, n, true)),
      any_(transposed ? plan_columns(m, n, false) : plan_rows(m, n, false)) {
  const auto bytes_of = [&](const GemvPlan& plan) {
    return plan.splits == 1 ? 0
                            : sizeof(float) * static_cast<std::size_t>(plan.splits) * (transposed ? n : m);
  };
  const std::size_t partial_bytes = std::max(bytes_of(aligned_), bytes_of(any_));
  if (partial_bytes == 0) return;
  partial_ = std::make_unique<DeviceMemory>(partial_bytes);
  arrived_ = std::make_unique<DeviceMemory>(sizeof(unsigned) * std::max(aligned_.groups, any_.groups));
  GEMMLAB_CUDA_CHECK(cudaMemsetAsync(arrived_->data(), 0, arrived_->bytes(), current_stream()));
}

void Gemv::run(const float* A, const float* x, float* y) {
  last_was_aligned_ = n_ % kFloatsIn16Bytes == 0 && at_16_bytes(A) && at_16_bytes(transposed_ ? y : x);
  const GemvPlan& plan = last_was_aligned_ ? aligned_ : any_;
  launch(plan.kernel, static_cast<std::int64_t>(plan.groups) * plan.splits, dim3(kGemvThreads), 0, A, x, y,
         static_cast<int>(m_), static_cast<int>(n_), plan.groups, plan.splits,
         partial_ ? partial_->floats() : nullptr,
         arrived_ ? static_cast<unsigned*>(arrived_->data()) : nullptr);
}

Facts Gemv::chosen() const {
  const GemvPlan& plan = last_was_aligned_ ? aligned_ : any_;
  return {{"path", std::string(plan.path)},
          {"results_per_block", std::int64_t{plan.results_per_block}},
          {"splits", std::int64_t{plan.splits}},
          {"load_bytes", std::int64_t{plan.load_bytes}},
          {"threads_per_block", std::int64_t{kGemvThreads}}};
}

Facts Gemv::resources() const {
  const GemvPlan& plan = last_was_aligned_ ? aligned_ : any_;
  return kernel_resources(reinterpret_cast<const void*>(plan.kernel), kGemvThreads, 0);
}

std::string gemv_too_long(std::int64_t m, std::int64_t n) {
  constexpr std::int64_t kMost =
      std::numeric_limits<std::int32_t>::max() / 2;  // indices past a tile's end stay an int
  if (std::max(m, n) <= kMost) return {};
  return "a side of " + std::to_string(std::max(m, n)) + " is over " + std::to_string(kMost) +
         " (32-bit indices)";
}

const Implementation& gemv_tuned() {
  static const CallImplementation row(
      "gemv",
      describe({.id = "gpu.gemv_tuned",
                .name = "gemv tuned",
                .family = "best",
                .summary = "16-byte loads, four rows per load of x, transposed along rows; sums split by "
                           "shape, one kernel",
                .source = "CUDA samples, threadFenceReduction; CUTLASS, GEMV",
                .counterpart = "cpu.gemv_simd"}),
      [](const Instance& instance) -> std::unique_ptr<Session> {
        return std::make_unique<GemvSession>(instance);
      },
      [](const Instance& instance) { return gemv_too_long(instance.dims[0], instance.dims[1]); });
  return row;
}

}  // namespace gemmlab::gpu
