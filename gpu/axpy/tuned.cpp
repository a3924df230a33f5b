#include "gpu/call_row.h"
#include "gpu/describe.h"
#include "gpu/device/scaled_sum.h"
#include "operations/vectors.h"

namespace gemmlab::gpu {
namespace {

class AxpySession : public Session {
 public:
  explicit AxpySession(const Instance& instance) : n_(instance.dims[0]), factor_(factor(instance, "alpha")) {}

  void run(const Operands& operands) override {
    launch_scaled_sum(operands.out<float>(1), operands.in<float>(0), operands.in<float>(1), factor_, n_);
  }
  Facts chosen() const override { return scaled_sum_choice(); }
  Facts resources() const override { return scaled_sum_resources(); }

 private:
  std::int64_t n_;
  float factor_;
};

}  // namespace

const Implementation& axpy_tuned() {
  static const CallImplementation row(
      "axpy",
      describe({.id = "gpu.axpy_tuned",
                .name = "axpy tuned",
                .family = "best",
                .summary = "eight 16-byte loads in flight per thread before the first store",
                .source = "textbook",
                .counterpart = "cpu.axpy_simd"}),
      [](const Instance& instance) -> std::unique_ptr<Session> {
        return std::make_unique<AxpySession>(instance);
      });
  return row;
}

}  // namespace gemmlab::gpu
