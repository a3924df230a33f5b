#include <stdexcept>

#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/gemm/session.h"
#include "gpu/libraries/cublas_context.h"
#include "operations/batched_gemm/batched_gemm.h"

namespace gemmlab::gpu {
namespace {

#if GEMMLAB_HAS_CUBLAS

/// Row-major operands change places: see CublasSession.
class CublasBatchSession : public Session {
 public:
  static constexpr bool kResident = false;

  CublasBatchSession(const Instance& instance, const Parameters&) : batch_(batch_of(instance)) {}

  void run(const Operands& operands) override {
    const auto operation = [](bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
    const auto whole = [](std::int64_t value) { return static_cast<int>(value); };
    const GemmForm& form = batch_.form;
    check_cublas(gemm_(context_.handle(), operation(form.transpose_b), operation(form.transpose_a),
                       whole(batch_.shape.n), whole(batch_.shape.m), whole(batch_.shape.k), &form.alpha,
                       operands.in<float>(1), whole(form.ldb), batch_.stride_b, operands.in<float>(0),
                       whole(form.lda), batch_.stride_a, &form.beta, operands.out<float>(2), whole(form.ldc),
                       batch_.stride_c, whole(batch_.count)),
                 "cublasSgemmStridedBatched");
  }
  Facts chosen() const override {
    Facts facts = context_.facts();
    facts["math"] = std::string("CUBLAS_DEFAULT_MATH");
    facts["workspace_bytes"] = context_.workspace_bytes();
    return facts;
  }

 private:
  GemmBatch batch_;
  CublasContext context_;
  decltype(cublasSgemmStridedBatched)* gemm_ =
      cublas_function<decltype(cublasSgemmStridedBatched)>("cublasSgemmStridedBatched");
};

#else

class CublasBatchSession : public Session {
 public:
  static constexpr bool kResident = false;
  CublasBatchSession(const Instance&, const Parameters&) { throw std::runtime_error(why_no_cublas()); }
  void run(const Operands&) override { throw std::runtime_error(why_no_cublas()); }
};

#endif

std::string refused(const Instance& instance, const Parameters&) {
  const GemmBatch batch = batch_of(instance);
  return too_long(batch.shape, batch.form);
}

}  // namespace

const Implementation& cublas_batched() {
  static const SessionRow<CublasBatchSession> row(
      describe({.id = "gpu.cublas_batched",
                .name = "cuBLAS",
                .summary = "cuBLAS' cublasSgemmStridedBatched in plain FP32, its own choice of kernel",
                .source = "NVIDIA cuBLAS, opened at run time",
                .reference = true,
                .operation = "batched_gemm"}),
      refused, why_no_cublas);
  return row;
}

}  // namespace gemmlab::gpu
