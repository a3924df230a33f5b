// cublasLt on operands of 8 and 16 bits as they lie there, the fastest of its algorithms: the strongest peer of the rungs on the
// tensor cores.

#include "gpu/describe.h"
#include "gpu/gemm/cublaslt/search.h"
#include "gpu/gemm/session.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kMultiple = 16;  // of the sides of matrices of 8 bits: others it refuses

class TypedCublasLt : public Implementation {
 public:
  const Description& description() const override { return description_; }
  std::string unavailable() const override { return why_no_cublaslt(); }
  Precision precision(const Instance& instance) const override {
    return is_float8(types_of(instance).type) ? Precision::kFp8 : description_.precision;
  }
  std::string why_not(const Instance& instance, const Parameters&) const override {
    if (std::string reason = gemm().why_not(instance); !reason.empty()) return reason;
    const GemmTypes types = types_of(instance);
    const Shape shape = shape_of(instance);
    const GemmForm form = form_of(instance);
    if (!meant_for(instance)) return "cublasLtMatmul is asked here for no " + describe(types);
    if (scales_only(shape, form)) return "cublasLtMatmul has no algorithm where alpha or a dimension is 0";
    if (std::string reason = too_long(shape, form); !reason.empty()) return reason;
    if (bytes_of(types.type) > 1) return {};
    if (form.transpose_a || form.alpha != 1 || form.beta != 0 || form.lda != shape.k || form.ldc != shape.n)
      return "of 8 bits cublasLtMatmul computes C = A·B and A·Bᵀ alone here, and this is " +
             describe(shape, form);
    if (types.type == ElementType::kFloat8E4m3 && !form.transpose_b)
      return "of float8 cublasLtMatmul takes B stored as (N, K) alone, which is transpose_b = yes";
    if (shape.m % kMultiple == 0 && shape.n % kMultiple == 0 && shape.k % kMultiple == 0) return {};
    return "of 8 bits cublasLtMatmul takes sides that are multiples of 16";
  }
  bool meant_for(const Instance& instance) const override {
    const GemmTypes types = types_of(instance);
    switch (types.type) {
      case ElementType::kBfloat16:
      case ElementType::kFloat16:
      case ElementType::kInt8:
        return true;
      case ElementType::kFloat8E4m3:
        return types.result != types.type;  // it takes scales for such a result
      default:
        return false;
    }
  }
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters&) const override {
    return make_lt_session(shape_of(instance), form_of(instance), types_of(instance));
  }

 private:
  Description description_ = describe(
      {.id = "gpu.cublaslt_typed",
       .name = "cublasLt, typed",
       .summary =
           "cublasLt on operands of 8 and 16 bits, the fastest of up to 32 of its algorithms at each shape",
       .source = "NVIDIA cublasLt, opened at run time",
       .counterpart = "cpu.widened",
       .reference = true});
};

}  // namespace

const Implementation& cublaslt_typed() {
  static const TypedCublasLt row;
  return row;
}

}  // namespace gemmlab::gpu
