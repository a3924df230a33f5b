#include "core/rounding.h"
#include "gpu/describe.h"
#include "gpu/device/launch.h"
#include "gpu/device/resources.h"
#include "gpu/spmv/lanes.h"

namespace gemmlab::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kWarp = 32;

/// y = A·x, one warp per row: its lanes read 32 adjacent entries at a time, in whole lines.
/// Prediction: at the memory's roof for rows of a hundred entries and more; for rows of 16 half of the lanes
/// are idle and a warp waits three times in a row (offsets, columns, x) for 16 products, so that a small
/// share of the roof is left. Source: Bell, Garland, Efficient Sparse Matrix-Vector Multiplication on CUDA,
/// 2008 (vector CSR).
__global__ void __launch_bounds__(kThreads) spmv_warp_kernel(const SpmvProblem p) {
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) / kWarp;
  const int lane = threadIdx.x % kWarp;
  if (row >= p.m) return;  // the whole warp
  const int end = p.offsets[row + 1];
  float sum = 0;
  for (int entry = p.offsets[row] + lane; entry < end; entry += kWarp) {
    sum += p.values[entry] * p.x[p.columns[entry]];
  }
  sum = sum_over_lanes<kWarp>(sum);
  if (lane == 0) p.y[row] = sum;
}

class Warp : public SpmvSession {
 public:
  explicit Warp(const Instance& instance) : SpmvSession(instance) {}
  Facts resources() const override {
    return kernel_resources(reinterpret_cast<const void*>(spmv_warp_kernel), kThreads, 0);
  }

 protected:
  void multiply(const SpmvProblem& problem) override {
    constexpr int kRows = kThreads / kWarp;
    launch(spmv_warp_kernel, ceil_div(std::int64_t{problem.m}, kRows), dim3(kThreads), 0, problem);
  }
};

}  // namespace

const Implementation& spmv_warp() {
  static const SpmvRow implementation(
      describe({.id = "gpu.spmv_warp",
                .name = "spmv warp",
                .family = "tiles",
                .summary = "one warp per row",
                .source = "Bell, Garland, Efficient Sparse Matrix-Vector Multiplication on CUDA, 2008",
                .counterpart = "cpu.spmv_openmp"}),
      [](const Instance& instance, const Parameters&) -> std::unique_ptr<Session> {
        return std::make_unique<Warp>(instance);
      });
  return implementation;
}

}  // namespace gemmlab::gpu
