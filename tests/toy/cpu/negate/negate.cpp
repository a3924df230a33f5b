#include <algorithm>

#include "core/implementation.h"

namespace gemmlab::cpu {
namespace {

class NegateSession : public Session {
 public:
  NegateSession(const Instance& instance, bool forgetful)
      : count_(instance.dims[0]),
        factor_(static_cast<float>(std::get<double>(instance.option("factor")))),
        accumulates_(instance.in_out() && !forgetful) {}
  void run(const Operands& operands) override {
    const float* x = operands.in<float>(0);
    float* y = operands.out<float>(1);
    for (std::int64_t i = 0; i < count_; ++i) y[i] = (accumulates_ ? y[i] : 0) - factor_ * x[i];
  }
  int threads_actual() const override { return 1; }

 private:
  std::int64_t count_;
  float factor_;
  bool accumulates_;
};

/// The forgetful one overwrites y where it should add to it.
class Negate : public Implementation {
 public:
  Negate(const char* id, bool forgetful) : forgetful_(forgetful) {
    description_.id = id;
    description_.operation = "negate";
    description_.summary = "one loop";
    description_.variant_of = forgetful ? "cpu.negate" : "";
  }
  const Description& description() const override { return description_; }
  std::string why_not(const Instance&, const Parameters&) const override { return {}; }
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters&) const override {
    return std::make_unique<NegateSession>(instance, forgetful_);
  }

 private:
  bool forgetful_;
  Description description_;
};

}  // namespace

const Implementation& negate() {
  static const Negate implementation("cpu.negate", false);
  return implementation;
}

const Implementation& negate_forgetful() {
  static const Negate implementation("cpu.negate_forgetful", true);
  return implementation;
}

}  // namespace gemmlab::cpu
