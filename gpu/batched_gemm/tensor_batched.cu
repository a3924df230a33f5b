#include <memory>
#include <string>

#include "core/session_row.h"
#include "gpu/batched_gemm/pipelined_batched.h"
#include "gpu/describe.h"
#include "gpu/gemm/pipelined/card.h"
#include "gpu/gemm/session.h"
#include "gpu/gemm/tensor.h"
#include "gpu/gemm/tensor/session.h"
#include "gpu/table.h"
#include "operations/batched_gemm/batched_gemm.h"

namespace gemmlab::gpu {
namespace {

constexpr const char* kWidest = "widest";

/// Which kernels multiply a batch.
enum class Kernels { kOneProduct, kBatch, kFp32 };

bool is_widest(const Parameters& parameters) {
  return text(parameters, "instruction") == kWidest;
}

/// What all products of a batch have in common, their tiles as one list: kBatch. What is one product is left to gpu.tensor.
Kernels kernels_for(const GemmBatch& batch, const Parameters& parameters) {
  if (scales_only(batch.shape, batch.form)) return Kernels::kFp32;
  if (batch.count == 1) return Kernels::kOneProduct;
  return !is_widest(parameters) || parts::better_as_batch(batch) ? Kernels::kBatch : Kernels::kFp32;
}

/// The whole batch in four launches on the tensor cores; in plain FP32 where that is faster, or nothing else is possible.
class TensorBatchSession : public Session {
 public:
  static constexpr bool kResident = false;

  TensorBatchSession(const Instance& instance, const Parameters& parameters)
      : TensorBatchSession(instance, parameters, merged(batch_of(instance))) {}

  void run(const Operands& operands) override { session_->run(operands); }

  Facts chosen() const override {
    Facts facts = session_->chosen();
    facts["products"] = products_;
    if (kernels_ != Kernels::kFp32) return facts;
    facts["kernels"] = pipelined_batched().description().id;
    facts["arithmetic"] = std::string("plain FP32");
    return facts;
  }
  Facts resources() const override { return session_->resources(); }

 private:
  TensorBatchSession(const Instance& instance, const Parameters& parameters, const GemmBatch& batch)
      : kernels_(kernels_for(batch, parameters)),
        products_(batch.count),
        session_(make(kernels_, instance, parameters, batch)) {}

  static std::unique_ptr<Session> make(Kernels kernels, const Instance& instance,
                                       const Parameters& parameters, const GemmBatch& batch) {
    switch (kernels) {
      case Kernels::kOneProduct: {
        const auto& one = dynamic_cast<const GemmImplementation&>(tensor());
        return one.prepare_form(
            batch.shape, batch.form,
            complete(one.description(), {{"instruction", text(parameters, "instruction")}}));
      }
      case Kernels::kBatch:
        return parts::make_tensor_session(batch, true, true);
      case Kernels::kFp32:
        break;
    }
    return pipelined_batched().prepare(instance, complete(pipelined_batched().description(), {}));
  }

  Kernels kernels_;
  std::int64_t products_;
  std::unique_ptr<Session> session_;
};

std::string refused(const Instance& instance, const Parameters& parameters) {
  const GemmBatch batch = merged(batch_of(instance));
  if (std::string reason = too_long(batch.shape, batch.form); !reason.empty()) return reason;
  if (is_widest(parameters) || batch.count == 1 || scales_only(batch.shape, batch.form)) return {};
  if (std::string reason = parts::why_no_batch(batch); !reason.empty()) return reason;
  constexpr int kHopper = 90;
  if (!gpu::unavailable().empty() || this_card().compute_capability == kHopper) return {};
  return "instruction wgmma: several products take a card of compute capability 9.0";
}

std::string absent() {
  return tensor().unavailable();
}

}  // namespace

const Implementation& tensor_batched() {
  static const SessionRow<TensorBatchSession> row(
      describe({.id = "gpu.tensor_batched",
                .name = "tensor batched",
                .summary = "gpu.tensor's steps for all products of a batch in four launches; FP32 units "
                           "where they are faster",
                .source = "as gpu.tensor; CUTLASS, batched GEMM",
                .precision = Precision::kFp32Split,
                .parameters = {choice("instruction",
                                      "wgmma: the tensor cores; widest: as wgmma, or FP32 units where they "
                                      "are faster or the card has no wgmma",
                                      {std::string("wgmma"), std::string(kWidest)}, std::string(kWidest),
                                      ", {instruction}")},
                .operation = "batched_gemm"}),
      refused, absent);
  return row;
}

}  // namespace gemmlab::gpu
