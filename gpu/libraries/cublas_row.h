#pragma once

// A function of cuBLAS, other than gemm's, as a row of the table.

#include <utility>

#include "gpu/call_row.h"
#include "gpu/describe.h"
#include "gpu/libraries/cublas_context.h"
#include "gpu/libraries/cublas_handle.h"

namespace gemmlab::gpu {

class CublasCall : public Implementation {
 public:
  using Run = void (*)(Cublas& cublas, const Instance& instance, const Operands& operands);
  /// gpu.cublas_OPERATION.
  CublasCall(const std::string& operation, const std::string& function, const std::string& counterpart,
             Run run);

  const Description& description() const override { return description_; }
  std::string unavailable() const override { return why_no_cublas(); }
  std::string why_not(const Instance& instance, const Parameters& parameters) const override;
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters& parameters) const override;

 private:
  Description description_;
  Run run_;
};

}  // namespace gemmlab::gpu
