#include "gpu/libraries/cublas_row.h"

#include <algorithm>

#include "core/int_dimensions.h"

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
    : description_(describe({.id = "gpu.cublas_" + operation,
                             .name = "cuBLAS",
                             .summary = "cuBLAS' " + function,
                             .source = "NVIDIA cuBLAS, opened at run time",
                             .counterpart = counterpart,
                             .reference = true,
                             .operation = operation})),
      run_(run) {}

std::string CublasCall::why_not(const Instance& instance, const Parameters&) const {
  if (std::string reason = instance.operation->why_not(instance); !reason.empty()) return reason;
  return too_long_for_int(*std::max_element(instance.dims.begin(), instance.dims.end()));
}

std::unique_ptr<Session> CublasCall::prepare(const Instance& instance, const Parameters&) const {
  return std::make_unique<CublasCallSession>(instance, run_);
}

}  // namespace gemmlab::gpu
