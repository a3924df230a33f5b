#include "core/rounding.h"
#include "gpu/describe.h"
#include "gpu/device/launch.h"
#include "gpu/device/resources.h"
#include "gpu/spmv/session.h"

namespace gemmlab::gpu {
namespace {

constexpr int kThreads = 256;

/// y = A·x, one thread per row: the loop of cpu.spmv with its rows over threads.
/// Neighbouring threads read entries that lie a row's length apart, so a load of a warp touches up to 32
/// sectors, of which each thread uses 4 bytes at a time; and a warp takes as long as its longest row.
/// Prediction: near the memory's roof for rows of up to 4 entries (the sectors of one load serve the next
/// ones from L1), a small share of it for rows of 64, far behind everything else for a power law.
/// Source: Bell, Garland, Efficient Sparse Matrix-Vector Multiplication on CUDA, 2008 (scalar CSR).
__global__ void __launch_bounds__(kThreads) spmv_scalar_kernel(const SpmvProblem p) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (row >= p.m) return;
  float sum = 0;
  const int end = p.offsets[row + 1];
  for (int entry = p.offsets[row]; entry < end; ++entry) sum += p.values[entry] * p.x[p.columns[entry]];
  p.y[row] = sum;
}

class Scalar : public SpmvSession {
 public:
  explicit Scalar(const Instance& instance) : SpmvSession(instance) {}
  Facts resources() const override {
    return kernel_resources(reinterpret_cast<const void*>(spmv_scalar_kernel), kThreads, 0);
  }

 protected:
  void multiply(const SpmvProblem& problem) override {
    launch(spmv_scalar_kernel, ceil_div(std::int64_t{problem.m}, kThreads), dim3(kThreads), 0, problem);
  }
};

}  // namespace

const Implementation& spmv_scalar() {
  static const SpmvRow implementation(
      describe({.id = "gpu.spmv_scalar",
                .name = "spmv scalar",
                .family = "plain",
                .summary = "one thread per row",
                .source = "Bell, Garland, Efficient Sparse Matrix-Vector Multiplication on CUDA, 2008",
                .counterpart = "cpu.spmv"}),
      [](const Instance& instance, const Parameters&) -> std::unique_ptr<Session> {
        return std::make_unique<Scalar>(instance);
      });
  return implementation;
}

}  // namespace gemmlab::gpu
