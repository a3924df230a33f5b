#include <stdexcept>

#include "core/batched_gemm/batched_gemm.h"
#include "core/gemm/implementation.h"
#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/gemm/batched/product.h"
#include "gpu/gemm/pipelined/card.h"
#include "gpu/gemm/pipelined/session.h"
#include "gpu/gemm/session.h"
#include "gpu/resources.h"
#include "gpu/table.h"

namespace gemmlab::gpu {
namespace {

const GemmImplementation& one_product() {
  return dynamic_cast<const GemmImplementation&>(pipelined());
}

/// The batch as one launch, or as the fewest products of gpu.pipelined that it is.
class BatchSession : public Session {
 public:
  static constexpr bool kResident = false;

  BatchSession(const Instance& instance, const Parameters& parameters)
      : batch_(merged(batch_of(instance))), tile_(text(parameters, "tile")), choice_(choice(true)) {
    if (tile_ != "auto" && choice_.candidate == nullptr)
      throw std::runtime_error("tile " + tile_ + ": no launch takes batches that lie like this");
    const GemmImplementation& one = one_product();
    products_ = one.prepare_form(batch_.shape, batch_.form, complete(one.description(), {}));
  }

  void run(const Operands& operands) override {
    const auto* a = operands.in<float>(0);
    const auto* b = operands.in<float>(1);
    auto* c = operands.out<float>(2);
    choice_ = choice(at_16_bytes(a) && at_16_bytes(b));
    if (one_launch()) return launch_batched(choice_, batch_, a, b, c);
    for (std::int64_t i = 0; i < batch_.count; ++i)
      multiply(*products_, a + i * batch_.stride_a, b + i * batch_.stride_b, c + i * batch_.stride_c);
  }

  Facts chosen() const override {
    if (one_launch()) return facts_of(choice_, batch_);
    Facts facts = products_->chosen();
    facts["path"] = std::string(batch_.count == 1 ? "one product" : "product by product");
    return facts;
  }
  Facts resources() const override { return one_launch() ? resources_of(choice_) : products_->resources(); }

 private:
  BatchChoice choice(bool at_16_bytes) const {
    return choose_batched(batch_, tile_, at_16_bytes, this_card());
  }
  bool one_launch() const {
    return tile_ == "auto" ? batch_is_better(choice_, batch_, this_card()) : choice_.candidate != nullptr;
  }

  GemmBatch batch_;
  std::string tile_;
  BatchChoice choice_;
  std::unique_ptr<Session> products_;
};

std::string refused(const Instance& instance, const Parameters& parameters) {
  const GemmBatch batch = merged(batch_of(instance));
  if (std::string reason = too_long(batch.shape, batch.form); !reason.empty()) return reason;
  const std::string tile = text(parameters, "tile");
  if (tile == "auto" || choose_batched(batch, tile, true, PipelinedCard()).candidate) return {};
  return "tile " + tile + ": one launch takes A as it is, or A transposed where rows are of whole 16 bytes";
}

ParameterSpec tile_parameter() {
  std::vector<ParameterValue> tiles;
  for (const BatchedCandidate& candidate : batched_candidates()) tiles.push_back(candidate.tile.name);
  tiles.push_back(std::string("auto"));
  return choice(
      "tile",
      "rows×columns of a product's C that a block computes (and k of a step); auto chooses by shape "
      "and card, and whether all products are one launch",
      tiles, tiles.back());
}

}  // namespace

const Implementation& pipelined_batched() {
  static const SessionRow<BatchSession> row(
      describe({.id = "gpu.pipelined_batched",
                .summary =
                    "gpu.pipelined's steps for all products of a batch in one launch, transposes on the way",
                .source = "CUTLASS, batched GEMM",
                .parameters = {tile_parameter()},
                .operation = "batched_gemm"}),
      refused, unavailable);
  return row;
}

}  // namespace gemmlab::gpu
