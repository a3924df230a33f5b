#include "gpu/call_row.h"
#include "gpu/describe.h"
#include "gpu/device/scaled_sum.h"
#include "operations/vectors.h"

namespace gemmlab::gpu {
namespace {

class TriadSession : public Session {
 public:
  explicit TriadSession(const Instance& instance)
      : n_(instance.dims[0]), factor_(factor(instance, "scalar")) {}

  void run(const Operands& operands) override {
    launch_scaled_sum(operands.out<float>(2), operands.in<float>(1), operands.in<float>(0), factor_, n_);
  }
  Facts chosen() const override { return scaled_sum_choice(); }
  Facts resources() const override { return scaled_sum_resources(); }

 private:
  std::int64_t n_;
  float factor_;
};

}  // namespace

const Implementation& triad_tuned() {
  static const CallImplementation row(
      "triad",
      describe({.id = "gpu.triad_tuned",
                .name = "triad tuned",
                .family = "best",
                .summary = "eight 16-byte loads in flight per thread before the first store",
                .source = "J. McCalpin, STREAM; T. Deakin et al., BabelStream",
                .counterpart = "cpu.triad_simd"}),
      [](const Instance& instance) -> std::unique_ptr<Session> {
        return std::make_unique<TriadSession>(instance);
      });
  return row;
}

}  // namespace gemmlab::gpu
