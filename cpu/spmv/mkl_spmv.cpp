#include <stdexcept>

#include "cpu/device/variants.h"
#include "cpu/libraries/blas.h"
#include "operations/spmv/structure.h"

namespace gemmlab::cpu {
namespace {

// From mkl_spblas.h.
constexpr int kSuccess = 0;
constexpr int kFromZero = 0;
constexpr int kNotTransposed = 10;
constexpr int kGeneral = 20;
struct MatrixKind {
  int type;
  int mode;
  int diagonal;
};
using Handle = void*;
using CreateCsr = int(Handle* a, int indexing, int rows, int cols, int* rows_start, int* rows_end,
                      int* columns, float* values);
using Multiply = int(int operation, float alpha, Handle a, MatrixKind kind, const float* x, float beta,
                     float* y);

void check(int status, const char* call) {
  if (status != kSuccess) throw std::runtime_error(std::string(call) + " answered " + std::to_string(status));
}

class MklSpmvSession : public Session {
 public:
  MklSpmvSession(const Instance& instance, int threads)
      : mkl_(loaded(mkl_blas())),
        m_(static_cast<int>(instance.dim("m"))),
        n_(static_cast<int>(instance.dim("n"))),
        threads_(threads),
        create_(mkl_.symbol<CreateCsr>("mkl_sparse_s_create_csr")),
        multiply_(mkl_.symbol<Multiply>("mkl_sparse_s_mv")),
        destroy_(mkl_.symbol<int(Handle)>("mkl_sparse_destroy")) {}

  /// The handle is made in every call: it refers to the arrays, and one that stayed could keep what it found
  /// out about a matrix whose entries have changed since.
  void run(const Operands& operands) override {
    if (mkl_.get_threads() != threads_) mkl_.set_threads(threads_);
    auto* offsets = operands.out<int>(sparse::kOffsets);
    Handle a = nullptr;
    check(create_(&a, kFromZero, m_, n_, offsets, offsets + 1, operands.out<int>(sparse::kColumns),
                  operands.out<float>(sparse::kValues)),
          "mkl_sparse_s_create_csr");
    const int status = multiply_(kNotTransposed, 1, a, {kGeneral, 0, 0}, operands.in<float>(sparse::kX), 0,
                                 operands.out<float>(sparse::kY));
    destroy_(a);
    check(status, "mkl_sparse_s_mv");
    threads_actual_ = mkl_.get_threads();
  }
  /// What the library was held to; it takes fewer where it sees fit and does not say so.
  int threads_actual() const override { return threads_actual_; }
  Facts chosen() const override {
    return {{"library", mkl_.library->path()},
            {"loaded_from", file_of(reinterpret_cast<const void*>(multiply_))},
            {"optimised", std::string("no: mkl_sparse_optimize is not called")}};
  }

 private:
  const LoadedBlas& mkl_;
  int m_;
  int n_;
  int threads_;
  CreateCsr* create_;
  Multiply* multiply_;
  int (*destroy_)(Handle);
  int threads_actual_ = 0;
};

class MklSpmv : public Implementation {
 public:
  const Description& description() const override { return description_; }
  std::string unavailable() const override { return mkl_blas().library().missing(); }
  std::string why_not(const Instance&, const Parameters&) const override { return {}; }
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters& parameters) const override {
    return std::make_unique<MklSpmvSession>(instance, static_cast<int>(integer(parameters, "threads")));
  }

 private:
  Description description_ = {.id = "cpu.mkl_spmv",
                              .name = "MKL",
                              .summary = "Intel oneMKL, mkl_sparse_s_mv on CSR as it is",
                              .source = "Intel oneAPI Math Kernel Library, inspector-executor sparse BLAS",
                              .reference = true,
                              .parameters = {threads_parameter(kThreadsOfLibrary)},
                              .operation = "spmv"};
};

}  // namespace

const Implementation& mkl_spmv() {
  static const MklSpmv implementation;
  return implementation;
}

}  // namespace gemmlab::cpu
