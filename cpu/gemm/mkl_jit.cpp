#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "cpu/gemm/library_row.h"

namespace gemmlab::cpu {
namespace {

// From mkl_blas.h: a kernel that MKL writes for one shape, with nothing left to decide in the call.
using Create = int(void** jitter, int order, int transpose_a, int transpose_b, std::size_t m, std::size_t n,
                   std::size_t k, float alpha, std::size_t lda, std::size_t ldb, float beta, std::size_t ldc);
using Multiply = void(void* jitter, const float* a, const float* b, float* c);
using GetMultiply = Multiply*(void* jitter);
using Destroy = int(void* jitter);
constexpr int kWritten = 0;  // 1: MKL would call its common product instead

/// MKL 2026.0.2 writes one at 127×127×127 and none at 128×128×128.
constexpr std::int64_t kMostJit = 127;

class MklJitSession : public GemmSession {
 public:
  MklJitSession(const LoadedBlas& blas, const Shape& shape)
      : blas_(blas), destroy_(blas.symbol<Destroy>("mkl_jit_destroy")) {
    const auto m = static_cast<std::size_t>(shape.m);
    const auto n = static_cast<std::size_t>(shape.n);
    const auto k = static_cast<std::size_t>(shape.k);
    const int status = blas.symbol<Create>("mkl_cblas_jit_create_sgemm")(
        &jitter_, kCblasRowMajor, kCblasNoTranspose, kCblasNoTranspose, m, n, k, 1, k, n, 0, n);
    if (status != kWritten) {
      if (jitter_ != nullptr) destroy_(jitter_);
      throw std::runtime_error("MKL writes no kernel for this shape on this processor (status " +
                               std::to_string(status) + ")");
    }
    multiply_ = blas.symbol<GetMultiply>("mkl_jit_get_sgemm_ptr")(jitter_);
  }
  MklJitSession(const MklJitSession&) = delete;
  MklJitSession& operator=(const MklJitSession&) = delete;
  ~MklJitSession() override { destroy_(jitter_); }

  void multiply(const float* a, const float* b, float* c) override { multiply_(jitter_, a, b, c); }
  int threads_actual() const override { return 1; }
  Facts chosen() const override { return BlasFunction(blas_, "mkl_cblas_jit_create_sgemm", 1).chosen(); }

 private:
  const LoadedBlas& blas_;
  Destroy* destroy_;
  void* jitter_ = nullptr;
  Multiply* multiply_ = nullptr;
};

/// Where MKL writes none at all, as on AMD's processors: empty, or why.
const std::string& no_kernels_here() {
  static const std::string reason = [] {
    try {
      MklJitSession(loaded(mkl_blas()), {16, 16, 16});
      return std::string();
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
  }();
  return reason;
}

/// cpu.mkl_jit: the kernel is written in prepare(), and the call is the kernel's alone.
class MklJit : public LibraryImplementation {
 public:
  MklJit()
      : LibraryImplementation(
            {.id = "cpu.mkl_jit",
             .name = "MKL JIT",
             .summary = "Intel oneMKL, a kernel written for the shape (mkl_jit_create_sgemm); one "
                        "thread",
             .source = mkl_blas().source},
            mkl_blas().library, Dimensions::k32Bits) {}
  std::string why_not(const Shape& shape, const Parameters& parameters) const override {
    if (std::max({shape.m, shape.n, shape.k}) > kMostJit) {
      return "kernels are written for m, n and k up to " + std::to_string(kMostJit);
    }
    if (std::string reason = LibraryImplementation::why_not(shape, parameters); !reason.empty())
      return reason;
    return mkl_blas().library().missing().empty() ? no_kernels_here() : std::string();
  }
  std::string why_not_form(const Shape& shape, const GemmForm& form,
                           const Parameters& parameters) const override {
    return GemmImplementation::why_not_form(shape, form, parameters);
  }
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters&) const override {
    return std::make_unique<MklJitSession>(loaded(mkl_blas()), shape);
  }
  std::unique_ptr<Session> prepare_form(const Shape& shape, const GemmForm& form,
                                        const Parameters& parameters) const override {
    return GemmImplementation::prepare_form(shape, form, parameters);
  }
};

}  // namespace

const Implementation& mkl_jit() {
  static const MklJit row;
  return row;
}

}  // namespace gemmlab::cpu
