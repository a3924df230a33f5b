#include "gpu/describe.h"
#include "gpu/gemm/cublaslt/search.h"
#include "gpu/gemm/session.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {
namespace {

Description cublaslt_description() {
  return describe(
      {.id = "gpu.cublaslt",
       .name = "cublasLt",
       .summary = "cublasLt in plain FP32, the fastest of up to 32 of its algorithms at each shape",
       .source = "NVIDIA cublasLt, opened at run time",
       .counterpart = "cpu.onednn",
       .reference = true});
}

class CublasLt : public GemmImplementation {
 public:
  const Description& description() const override { return description_; }
  std::string unavailable() const override { return why_no_cublaslt(); }
  std::string why_not(const Shape& shape, const Parameters&) const override { return too_long(shape); }
  std::string why_not_form(const Shape& shape, const GemmForm& form, const Parameters&) const override {
    if (std::string reason = wrong_form(shape, form); !reason.empty()) return reason;
    if (scales_only(shape, form)) return "cublasLtMatmul has no algorithm where alpha or a dimension is 0";
    return too_long(shape, form);
  }
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override {
    return prepare_form(shape, form_of(shape), parameters);
  }
  std::unique_ptr<Session> prepare_form(const Shape& shape, const GemmForm& form,
                                        const Parameters&) const override {
    return make_lt_session(shape, form, {});
  }

 private:
  Description description_ = cublaslt_description();
};

}  // namespace

const Implementation& cublaslt() {
  static const CublasLt implementation;
  return implementation;
}

}  // namespace gemmlab::gpu
