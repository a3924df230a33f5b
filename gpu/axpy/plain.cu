#include "core/rounding.h"
#include "gpu/call_row.h"
#include "gpu/describe.h"
#include "gpu/device/launch.h"
#include "operations/vectors.h"

namespace gemmlab::gpu {
namespace {

constexpr int kThreads = 256;

/// A thread per element: neighbouring threads read and write neighbouring floats, 4 bytes each.
__global__ void axpy_kernel(float alpha, const float* x, float* y, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) y[i] += alpha * x[i];
}

class AxpySession : public Session {
 public:
  explicit AxpySession(const Instance& instance) : n_(instance.dims[0]), factor_(factor(instance, "alpha")) {}

  void run(const Operands& operands) override {
    launch(axpy_kernel, ceil_div(n_, kThreads), dim3(kThreads), 0, factor_, operands.in<float>(0),
           operands.out<float>(1), static_cast<long long>(n_));
  }
  Facts chosen() const override { return {{"threads_per_block", std::int64_t{kThreads}}}; }
  Facts resources() const override {
    return kernel_resources(reinterpret_cast<const void*>(axpy_kernel), kThreads, 0);
  }

 private:
  std::int64_t n_;
  float factor_;
};

}  // namespace

const Implementation& axpy() {
  static const CallImplementation row(
      "axpy",
      describe({.id = "gpu.axpy",
                .name = "axpy",
                .summary = "a thread per element: y = α·x + y as it is written",
                .source = "textbook",
                .counterpart = "cpu.axpy_openmp"}),
      [](const Instance& instance) -> std::unique_ptr<Session> {
        return std::make_unique<AxpySession>(instance);
      });
  return row;
}

}  // namespace gemmlab::gpu
