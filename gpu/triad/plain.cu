#include "core/rounding.h"
#include "gpu/call_row.h"
#include "gpu/describe.h"
#include "gpu/device/launch.h"
#include "operations/vectors.h"

namespace gemmlab::gpu {
namespace {

constexpr int kThreads = 256;

/// A thread per element: neighbouring threads read and write neighbouring floats, 4 bytes each.
__global__ void triad_kernel(float* a, const float* b, const float* c, float s, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) a[i] = b[i] + s * c[i];
}

class TriadSession : public Session {
 public:
  explicit TriadSession(const Instance& instance)
      : n_(instance.dims[0]), factor_(factor(instance, "scalar")) {}

  void run(const Operands& operands) override {
    launch(triad_kernel, ceil_div(n_, kThreads), dim3(kThreads), 0, operands.out<float>(2),
           operands.in<float>(0), operands.in<float>(1), factor_, static_cast<long long>(n_));
  }
  Facts chosen() const override { return {{"threads_per_block", std::int64_t{kThreads}}}; }
  Facts resources() const override {
    return kernel_resources(reinterpret_cast<const void*>(triad_kernel), kThreads, 0);
  }

 private:
  std::int64_t n_;
  float factor_;
};

}  // namespace

const Implementation& triad() {
  static const CallImplementation row(
      "triad",
      describe({.id = "gpu.triad",
                .name = "triad",
                .summary = "a thread per element: a = b + s·c as it is written",
                .source = "J. McCalpin, STREAM; T. Deakin et al., BabelStream",
                .counterpart = "cpu.triad_openmp"}),
      [](const Instance& instance) -> std::unique_ptr<Session> {
        return std::make_unique<TriadSession>(instance);
      });
  return row;
}

}  // namespace gemmlab::gpu
