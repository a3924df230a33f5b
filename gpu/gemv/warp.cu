#include "core/rounding.h"
#include "gpu/call_row.h"
#include "gpu/describe.h"
#include "gpu/device/launch.h"
#include "gpu/device/reduce.h"

namespace gemmlab::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kRowsPerBlock = kThreads / kWarp;

/// A warp per row of A (m, n): its lanes read 32 neighbouring floats at a time and add up their
/// sums by shuffles.
__global__ void gemv_warp_kernel(const float* A, const float* x, float* y, int m, int n) {
  const long long row = static_cast<long long>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  if (row >= m) return;
  float sum = 0;
  for (int col = lane; col < n; col += kWarp) sum += A[row * n + col] * x[col];
  sum = group_sum(sum);
  if (lane == 0) y[row] = sum;
}

class GemvWarpSession : public Session {
 public:
  explicit GemvWarpSession(const Instance& instance)
      : m_(static_cast<int>(instance.dims[0])), n_(static_cast<int>(instance.dims[1])) {}

  void run(const Operands& operands) override {
    launch(gemv_warp_kernel, ceil_div(std::int64_t{m_}, kRowsPerBlock), dim3(kThreads), 0,
           operands.in<float>(0), operands.in<float>(1), operands.out<float>(2), m_, n_);
  }
  Facts chosen() const override { return {{"threads_per_block", std::int64_t{kThreads}}}; }
  Facts resources() const override {
    return kernel_resources(reinterpret_cast<const void*>(gemv_warp_kernel), kThreads, 0);
  }

 private:
  int m_;
  int n_;
};

}  // namespace

const Implementation& gemv_warp() {
  static const CallImplementation row(
      "gemv",
      describe({.id = "gpu.gemv_warp",
                .name = "gemv warp",
                .family = "tiles",
                .summary = "a warp per row of A, so that neighbouring lanes read neighbouring floats",
                .source = "N. Bell and M. Garland (2008), the vector kernel for rows",
                .counterpart = "cpu.gemv_openmp"}),
      [](const Instance& instance) -> std::unique_ptr<Session> {
        return std::make_unique<GemvWarpSession>(instance);
      },
      [](const Instance& instance) -> std::string {
        if (std::get<std::int64_t>(instance.option("transpose_a")) == 0) return {};
        return "a warp per row sums along rows: transpose_a = 0 alone";
      });
  return row;
}

}  // namespace gemmlab::gpu
