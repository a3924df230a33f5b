#include "cpu/libraries/onednn.h"

#include <cstdint>
#include <stdexcept>

#include "cpu/gemm/library_row.h"

namespace gemmlab::cpu {
namespace {

// From oneDNN's C interface, dnnl.h: its 64-bit dimensions.
using Sgemm = int(char transpose_a, char transpose_b, std::int64_t m, std::int64_t n, std::int64_t k,
                  float alpha, const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta,
                  float* c, std::int64_t ldc);

class OneDnnSession : public GemmSession {
 public:
  OneDnnSession(const Shape& shape, const GemmForm& form, int threads)
      : shape_(shape), form_(form), calls_(threads), sgemm_(onednn_library().symbol<Sgemm>("dnnl_sgemm")) {}

  void multiply(const float* a, const float* b, float* c) override {
    int status = 0;
    calls_.run([&] {
      status = sgemm_(form_.transpose_a ? 'T' : 'N', form_.transpose_b ? 'T' : 'N', shape_.m, shape_.n,
                      shape_.k, form_.alpha, a, form_.lda, b, form_.ldb, form_.beta, c, form_.ldc);
    });
    if (status != 0) throw std::runtime_error("dnnl_sgemm failed with status " + std::to_string(status));
  }
  int threads_actual() const override { return calls_.threads_actual(); }
  Facts chosen() const override { return calls_.chosen(reinterpret_cast<const void*>(sgemm_)); }

 private:
  Shape shape_;
  GemmForm form_;
  OneDnnCalls calls_;
  Sgemm* sgemm_;
};

/// oneDNN through dnnl_sgemm, which is row-major.
class OneDnn : public LibraryImplementation {
 public:
  OneDnn()
      : LibraryImplementation({.id = "cpu.onednn",
                               .name = "oneDNN",
                               .summary = "oneDNN, dnnl_sgemm",
                               .source = "oneDNN, github.com/oneapi-src/oneDNN"},
                              onednn_library, Dimensions::k64Bits) {}
  std::string why_not_form(const Shape& shape, const GemmForm& form,
                           const Parameters& parameters) const override {
    if (scales_only(shape, form)) return "dnnl_sgemm does not follow BLAS where alpha or a dimension is 0";
    return LibraryImplementation::why_not_form(shape, form, parameters);
  }
  std::unique_ptr<Session> prepare_form(const Shape& shape, const GemmForm& form,
                                        const Parameters& parameters) const override {
    return std::make_unique<OneDnnSession>(shape, form, static_cast<int>(integer(parameters, "threads")));
  }
};

}  // namespace

const Implementation& onednn() {
  static const OneDnn implementation;
  return implementation;
}

}  // namespace gemmlab::cpu
