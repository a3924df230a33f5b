#include "cpu/gemm/library_row.h"

#include <algorithm>
#include <utility>

#include "core/int_dimensions.h"
#include "cpu/gemm/plain.h"

namespace gemmlab::cpu {
namespace {

using CblasSgemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                        const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);

/// Dimensions fit in int: why_not sees to it.
class CblasSession : public GemmSession {
 public:
  CblasSession(const LoadedBlas& blas, const Shape& shape, const GemmForm& form, int threads)
      : function_(blas, "cblas_sgemm", threads), shape_(shape), form_(form) {}

  void multiply(const float* a, const float* b, float* c) override {
    const auto narrow = [](std::int64_t value) { return static_cast<int>(value); };
    const auto transpose = [](bool transposed) { return transposed ? kCblasTranspose : kCblasNoTranspose; };
    function_.run<CblasSgemm>([&](CblasSgemm* sgemm) {
      sgemm(kCblasRowMajor, transpose(form_.transpose_a), transpose(form_.transpose_b), narrow(shape_.m),
            narrow(shape_.n), narrow(shape_.k), form_.alpha, a, narrow(form_.lda), b, narrow(form_.ldb),
            form_.beta, c, narrow(form_.ldc));
    });
  }
  int threads_actual() const override { return function_.threads_actual(); }
  Facts chosen() const override { return function_.chosen(); }

 private:
  BlasFunction function_;
  Shape shape_;
  GemmForm form_;
};

Description described(const Blas& blas, const std::string& counterpart) {
  return {.id = std::string("cpu.") + blas.id,
          .name = blas.name,
          .summary = std::string(blas.name) + ", cblas_sgemm",
          .source = blas.source,
          .counterpart = counterpart,
          .parameters = blas.parameters};
}

}  // namespace

LibraryImplementation::LibraryImplementation(Description description, GetLibrary library,
                                             Dimensions dimensions)
    : description_(std::move(description)), library_(library), dimensions_(dimensions) {
  description_.reference = true;
  description_.parameters.insert(description_.parameters.begin(), threads_parameter(kThreadsOfLibrary));
}

std::string LibraryImplementation::why_not(const Shape& shape, const Parameters&) const {
  if (std::string reason = why_not_shape(shape); !reason.empty()) return reason;
  return too_long(std::max({shape.m, shape.n, shape.k}));
}

std::string LibraryImplementation::why_not_form(const Shape& shape, const GemmForm& form,
                                                const Parameters&) const {
  if (std::string reason = wrong_form(shape, form); !reason.empty()) return reason;
  return too_long(std::max({shape.m, shape.n, shape.k, form.lda, form.ldb, form.ldc}));
}

std::string LibraryImplementation::too_long(std::int64_t largest) const {
  return dimensions_ == Dimensions::k64Bits ? std::string() : too_long_for_int(largest);
}

CblasGemm::CblasGemm(const Blas& blas, const std::string& counterpart, Refuse refuse)
    : LibraryImplementation(described(blas, counterpart), blas.library, Dimensions::k32Bits),
      blas_(blas),
      refuse_(refuse) {}

std::string CblasGemm::why_not_form(const Shape& shape, const GemmForm& form,
                                    const Parameters& parameters) const {
  if (refuse_ != nullptr) {
    if (std::string reason = refuse_(form); !reason.empty()) return reason;
  }
  return LibraryImplementation::why_not_form(shape, form, parameters);
}

std::unique_ptr<Session> CblasGemm::prepare_form(const Shape& shape, const GemmForm& form,
                                                 const Parameters& parameters) const {
  return std::make_unique<CblasSession>(loaded(blas_, kernel_of(blas_, parameters)), shape, form,
                                        static_cast<int>(integer(parameters, "threads")));
}

}  // namespace gemmlab::cpu
