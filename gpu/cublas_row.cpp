#include "gpu/cublas_row.h"

#include <algorithm>

namespace gemmlab::gpu {
namespace {

class CublasCallSession : public Session {
 public:
  CublasCallSession(const Instance& instance, CublasCall::Run how)
      : instance_(instance), run_(how), cublas_(make_cublas()) {}
  void run(const Operands& operands) override { run_(*cublas_, instance_, operands); }
  Facts chosen() const override { return cublas_->chosen(); }

 private:
  Instance instance_;
  CublasCall::Run run_;
  std::unique_ptr<Cublas> cublas_;
};

}  // namespace

CublasCall::CublasCall(const std::string& operation, const std::string& function,
                       const std::string& counterpart, Run run)
    : description_(describe("gpu.cublas_" + operation, "cuBLAS' " + function,
                            "NVIDIA cuBLAS, opened at run time", counterpart)),
      run_(run) {
  description_.reference = true;
  description_.operation = operation;
}

std::string CublasCall::why_not(const Instance& instance, const Parameters&) const {
  if (std::string reason = instance.operation->why_not(instance); !reason.empty()) return reason;
  const std::int64_t largest = *std::max_element(instance.dims.begin(), instance.dims.end());
  if (largest <= INT_MAX) return {};
  return "its interface has 32-bit dimensions: " + std::to_string(largest) + " is above " +
         std::to_string(INT_MAX);
}

std::unique_ptr<Session> CublasCall::prepare(const Instance& instance, const Parameters&) const {
  return std::make_unique<CublasCallSession>(instance, run_);
}

}  // namespace gemmlab::gpu
