#include "gpu/describe.h"
#include "gpu/launch.h"
#include "gpu/table.h"

namespace gemmlab::gpu {
namespace {

constexpr int kThreads = 256;

__global__ void kernel(const float* x, float* y, std::int64_t count, float factor, bool accumulates) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < count) y[i] = (accumulates ? y[i] : 0) - factor * x[i];
}

class NegateSession : public Session {
 public:
  explicit NegateSession(const Instance& instance) : instance_(instance) {}
  void run(const Operands& operands) override {
    const std::int64_t count = instance_.dims[0];
    launch(kernel, (count + kThreads - 1) / kThreads, dim3(kThreads), 0, operands.in<float>(0),
           operands.out<float>(1), count, static_cast<float>(std::get<double>(instance_.option("factor"))),
           instance_.in_out());
  }

 private:
  Instance instance_;
};

class Negate : public Implementation {
 public:
  const Description& description() const override { return description_; }
  std::string unavailable() const override { return gpu::unavailable(); }
  std::string why_not(const Instance&, const Parameters&) const override { return {}; }
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters&) const override {
    return std::make_unique<NegateSession>(instance);
  }

 private:
  Description description_ = describe({.id = "gpu.negate",
                                       .summary = "one thread per element",
                                       .source = "textbook",
                                       .counterpart = "cpu.negate",
                                       .operation = "negate"});
};

}  // namespace

const Implementation& negate() {
  static const Negate implementation;
  return implementation;
}

}  // namespace gemmlab::gpu
