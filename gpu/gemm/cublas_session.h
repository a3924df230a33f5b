#pragma once

// What the rows that run cuBLAS have in common.

#include <memory>
#include <string>
#include <utility>

#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {

/// How cuBLAS multiplies float32 matrices.
enum class CublasArithmetic {
  kDefault,   ///< cublasSgemm, its own choice of kernel in plain FP32
  kPedantic,  ///< cublasSgemm with CUBLAS_PEDANTIC_MATH: the order and precision that the standard prescribes
  kTf32,      ///< cublasGemmEx on float32, operands rounded to TF32
  kFp16,      ///< cublasGemmEx on operands in FP16, summed in FP32
  kBf16       ///< likewise in BF16
};

struct CublasChoice {
  CublasArithmetic arithmetic = CublasArithmetic::kDefault;
  /// kFp16, kBf16: do the operands lie there in 16 bits before the clock starts? Else each multiply converts.
  bool operands_resident = false;
};

/// A row of the table that runs cuBLAS.
class CublasImplementation : public GemmImplementation {
 public:
  using Choose = CublasChoice (*)(const Parameters& parameters);
  CublasImplementation(Description description, Choose choose)
      : description_(std::move(description)), choose_(choose) {}

  const Description& description() const override { return description_; }
  std::string unavailable() const override;
  std::string why_not(const Shape& shape, const Parameters& parameters) const override;
  bool operands_resident(const Parameters& parameters) const override {
    return choose_(parameters).operands_resident;
  }
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override;
  std::string why_not_form(const Shape& shape, const GemmForm& form,
                           const Parameters& parameters) const override;
  std::unique_ptr<Session> prepare_form(const Shape& shape, const GemmForm& form,
                                        const Parameters& parameters) const override;

 private:
  Description description_;
  Choose choose_;
};

}  // namespace gemmlab::gpu
