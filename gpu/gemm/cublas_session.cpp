#include "gpu/gemm/cublas_session.h"

#include <optional>
#include <stdexcept>

#include "gpu/gemm/narrow_operands.h"
#include "gpu/gemm/session.h"
#include "gpu/libraries/cublas_context.h"

namespace gemmlab::gpu {
namespace {

#if GEMMLAB_HAS_CUBLAS

/// What cuBLAS is told, and by what name it is recorded.
struct Mode {
  cublasMath_t math;
  cublasComputeType_t compute;  ///< of cublasGemmEx
  const char* name;
  cudaDataType operands = CUDA_R_32F;
  const char* operands_name = "CUDA_R_32F";
  std::optional<Narrow> narrow = {};  ///< what A and B are converted to
};

Mode mode_of(CublasArithmetic arithmetic) {
  switch (arithmetic) {
    case CublasArithmetic::kDefault:
      return {CUBLAS_DEFAULT_MATH, CUBLAS_COMPUTE_32F, "CUBLAS_DEFAULT_MATH"};
    case CublasArithmetic::kPedantic:
      return {CUBLAS_PEDANTIC_MATH, CUBLAS_COMPUTE_32F, "CUBLAS_PEDANTIC_MATH"};
    case CublasArithmetic::kTf32:
      return {CUBLAS_DEFAULT_MATH, CUBLAS_COMPUTE_32F_FAST_TF32, "CUBLAS_COMPUTE_32F_FAST_TF32"};
    // A compute type such as CUBLAS_COMPUTE_32F_FAST_16F on float32 buffers only permits rounding;
    // cuBLAS 13.1 runs its TF32 kernel for it. So the operands themselves are of 16 bits.
    case CublasArithmetic::kFp16:
      return {CUBLAS_DEFAULT_MATH, CUBLAS_COMPUTE_32F, "CUBLAS_COMPUTE_32F",
              CUDA_R_16F,          "CUDA_R_16F",       Narrow::kFp16};
    case CublasArithmetic::kBf16:
      return {CUBLAS_DEFAULT_MATH, CUBLAS_COMPUTE_32F, "CUBLAS_COMPUTE_32F",
              CUDA_R_16BF,         "CUDA_R_16BF",      Narrow::kBf16};
  }
  throw std::invalid_argument("no arithmetic of cuBLAS");
}

/// C = alpha·op(A)·op(B) + beta·C by cublasSgemm or cublasGemmEx. Row-major C is column-major Cᵀ =
/// op(B)ᵀ·op(A)ᵀ, and a row-major matrix the transpose of a column-major one: the operands change places,
/// nothing is moved.
class CublasSession : public GemmSession {
 public:
  CublasSession(const Shape& shape, const GemmForm& form, const CublasChoice& choice)
      : shape_(shape), form_(form), mode_(mode_of(choice.arithmetic)), resident_(choice.operands_resident) {
    if (mode_.narrow) narrow_.emplace(shape, *mode_.narrow, resident_);
    check_cublas(cublas_function<decltype(cublasSetMathMode)>("cublasSetMathMode")(handle_, mode_.math),
                 "cublasSetMathMode");
  }

  void stage(const std::vector<OperandPair>& pairs) override {
    if (narrow_) narrow_->stage(pairs);
  }

  void multiply(const float* a, const float* b, float* c) override {
    if (narrow_) {
      const NarrowOperands::Pair operands = narrow_->of(a, b);
      gemm(operands.a, static_cast<int>(narrow_row(shape_.k)), operands.b,
           static_cast<int>(narrow_row(shape_.n)), c);
    } else if (mode_.compute == CUBLAS_COMPUTE_32F) {
      check_cublas(
          sgemm_(handle_, op_b_, op_a_, n_, m_, k_, &form_.alpha, b, ldb_, a, lda_, &form_.beta, c, ldc_),
          "cublasSgemm");
    } else {
      gemm(a, lda_, b, ldb_, c);
    }
  }

  Facts chosen() const override {
    Facts facts = context_.facts();
    facts["math"] = std::string(mode_.name);
    facts["operand_type"] = std::string(mode_.operands_name);
    facts["workspace_bytes"] = context_.workspace_bytes();
    if (narrow_) {
      facts["conversion"] = std::string(resident_ ? "before the clock, not counted" : "in every multiply");
      facts["converted_bytes"] = narrow_->bytes();
    }
    return facts;
  }

 private:
  /// cublasGemmEx on operands of mode_'s type whose rows lie `a_row` and `b_row` elements apart.
  void gemm(const void* a, int a_row, const void* b, int b_row, float* c) {
    check_cublas(
        gemm_(handle_, op_b_, op_a_, n_, m_, k_, &form_.alpha, b, mode_.operands, b_row, a, mode_.operands,
              a_row, &form_.beta, c, CUDA_R_32F, ldc_, mode_.compute, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
  }

  Shape shape_;
  GemmForm form_;
  cublasOperation_t op_a_ = form_.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasOperation_t op_b_ = form_.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  int lda_ = static_cast<int>(form_.lda);
  int ldb_ = static_cast<int>(form_.ldb);
  int ldc_ = static_cast<int>(form_.ldc);
  int m_ = static_cast<int>(shape_.m);
  int n_ = static_cast<int>(shape_.n);
  int k_ = static_cast<int>(shape_.k);
  Mode mode_;
  bool resident_;
  std::optional<NarrowOperands> narrow_;
  CublasContext context_;
  cublasHandle_t handle_ = context_.handle();
  decltype(cublasSgemm_v2)* sgemm_ = cublas_function<decltype(cublasSgemm_v2)>("cublasSgemm_v2");
  GemmEx* gemm_ = cublas_function<GemmEx>("cublasGemmEx");
};

std::unique_ptr<Session> make_session(const Shape& shape, const GemmForm& form, const CublasChoice& choice) {
  return std::make_unique<CublasSession>(shape, form, choice);
}

#else

std::unique_ptr<Session> make_session(const Shape&, const GemmForm&, const CublasChoice&) {
  throw std::runtime_error(why_no_cublas());
}

#endif

}  // namespace

std::string CublasImplementation::unavailable() const {
  return why_no_cublas();
}

std::string CublasImplementation::why_not(const Shape& shape, const Parameters&) const {
  return too_long(shape);
}

std::string CublasImplementation::why_not_form(const Shape& shape, const GemmForm& form,
                                               const Parameters& parameters) const {
  if (std::string reason = wrong_form(shape, form); !reason.empty()) return reason;
  if (std::string reason = too_long(shape, form); !reason.empty()) return reason;
  const CublasArithmetic arithmetic = choose_(parameters).arithmetic;
  const bool converts = arithmetic == CublasArithmetic::kFp16 || arithmetic == CublasArithmetic::kBf16;
  if (!converts || is_plain(shape, form)) return {};
  return "operands are converted to 16 bits for C = A·B alone, and this is " + describe(shape, form);
}

std::unique_ptr<Session> CublasImplementation::prepare(const Shape& shape,
                                                       const Parameters& parameters) const {
  return prepare_form(shape, form_of(shape), parameters);
}

std::unique_ptr<Session> CublasImplementation::prepare_form(const Shape& shape, const GemmForm& form,
                                                            const Parameters& parameters) const {
  return make_session(shape, form, choose_(parameters));
}

}  // namespace gemmlab::gpu
