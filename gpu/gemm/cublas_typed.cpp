// cuBLAS on operands of 16 bits and int8 as they lie there: the peer of the rungs on the tensor cores.

#include <stdexcept>

#include "gpu/describe.h"
#include "gpu/gemm/cublaslt/product.h"
#include "gpu/gemm/session.h"
#include "gpu/libraries/cublas_context.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kInt8Multiple = 16;  // of every side: others it may refuse

#if GEMMLAB_HAS_CUBLAS

/// C = alpha·op(A)·op(B) + beta·C. Row-major C is column-major Cᵀ = op(B)ᵀ·op(A)ᵀ: the operands change places.
class TypedCublasSession : public Session {
 public:
  explicit TypedCublasSession(const Instance& instance)
      : shape_(shape_of(instance)), form_(form_of(instance)), types_(types_of(instance)) {
    // else parts of a sum may be added up in C's 16 bits, and a result be rounded more than once
    constexpr auto kMath =
        static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
    check_cublas(cublas_function<decltype(cublasSetMathMode)>("cublasSetMathMode")(context_.handle(), kMath),
                 "cublasSetMathMode");
  }

  void run(const Operands& operands) override {
    const bool whole = is_integer(types_.type);
    const std::int32_t one = 1;
    const std::int32_t zero = 0;
    const void* alpha = whole ? static_cast<const void*>(&one) : &form_.alpha;
    const void* beta = whole ? static_cast<const void*>(&zero) : &form_.beta;
    check_cublas(gemm_(context_.handle(), form_.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                       form_.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N, static_cast<int>(shape_.n),
                       static_cast<int>(shape_.m), static_cast<int>(shape_.k), alpha, operands.at(1),
                       cuda_type(types_.type), static_cast<int>(form_.ldb), operands.at(0),
                       cuda_type(types_.type), static_cast<int>(form_.lda), beta, operands.at(2),
                       cuda_type(types_.result), static_cast<int>(form_.ldc),
                       whole ? CUBLAS_COMPUTE_32I : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                 "cublasGemmEx");
  }
  Facts chosen() const override {
    Facts facts = context_.facts();
    facts["workspace_bytes"] = context_.workspace_bytes();
    return facts;
  }

 private:
  Shape shape_;
  GemmForm form_;
  GemmTypes types_;
  CublasContext context_;
  GemmEx* gemm_ = cublas_function<GemmEx>("cublasGemmEx");
};

std::unique_ptr<Session> make_session(const Instance& instance) {
  return std::make_unique<TypedCublasSession>(instance);
}

#else

std::unique_ptr<Session> make_session(const Instance&) {
  throw std::runtime_error(why_no_cublas());
}

#endif

class TypedCublas : public Implementation {
 public:
  const Description& description() const override { return description_; }
  std::string unavailable() const override { return why_no_cublas(); }
  std::string why_not(const Instance& instance, const Parameters&) const override {
    if (std::string reason = gemm().why_not(instance); !reason.empty()) return reason;
    const GemmTypes types = types_of(instance);
    const Shape shape = shape_of(instance);
    const bool of_16_bits = types.type == ElementType::kBfloat16 || types.type == ElementType::kFloat16;
    if (!of_16_bits && types.type != ElementType::kInt8)
      return "cublasGemmEx multiplies bfloat16, float16 and int8 here, and this is " + describe(types);
    if (std::string reason = too_long(shape, form_of(instance)); !reason.empty()) return reason;
    if (of_16_bits) return {};
    if (!is_plain(shape, form_of(instance)))
      return "of int8 cublasGemmEx computes C = A·B alone here, and this is " +
             describe(shape, form_of(instance));
    if (shape.m % kInt8Multiple == 0 && shape.n % kInt8Multiple == 0 && shape.k % kInt8Multiple == 0)
      return {};
    return "of int8 cublasGemmEx takes sides that are multiples of 16 here";
  }
  bool meant_for(const Instance& instance) const override { return !types_of(instance).plain(); }
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters&) const override {
    return make_session(instance);
  }

 private:
  Description description_ =
      describe({.id = "gpu.cublas_typed",
                .name = "cuBLAS, typed",
                .summary = "cuBLAS' cublasGemmEx on operands of 16 bits and int8, every sum rounded once",
                .source = "NVIDIA cuBLAS, opened at run time",
                .counterpart = "cpu.widened",
                .reference = true});
};

}  // namespace

const Implementation& cublas_typed() {
  static const TypedCublas row;
  return row;
}

}  // namespace gemmlab::gpu
