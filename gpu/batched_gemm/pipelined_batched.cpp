#include "gpu/batched_gemm/pipelined_batched.h"

#include <stdexcept>

#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/device/resources.h"
#include "gpu/gemm/batched/product.h"
#include "gpu/gemm/pipelined/card.h"
#include "gpu/gemm/pipelined/session.h"
#include "gpu/gemm/session.h"
#include "gpu/table.h"
#include "operations/batched_gemm/batched_gemm.h"
#include "operations/gemm/implementation.h"

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
      : batch_(merged(batch_of(instance))), tile_(text(parameters, "tile")) {
    const GemmImplementation& one = one_product();
    products_ = one.prepare_form(batch_.shape, batch_.form, complete(one.description(), {}));
    if (tile_ == "auto") return;
    choice_ = choose_batched(batch_, tile_, true, this_card());
    if (choice_.candidate == nullptr) throw std::runtime_error(no_launch(tile_));
  }

  void run(const Operands& operands) override {
    const auto* a = operands.in<float>(0);
    const auto* b = operands.in<float>(1);
    auto* c = operands.out<float>(2);
    // by gpu.pipelined, which chooses; of alpha = 0 there is nothing to choose
    if (tile_ == "auto") return multiply_batch(*products_, strides_of(batch_), batch_.count, a, b, c);
    choice_ = choose_batched(batch_, tile_, at_16_bytes(a) && at_16_bytes(b), this_card());
    if (choice_.candidate == nullptr) throw std::runtime_error(no_launch(tile_));
    launch_batched(choice_, batch_, a, b, c);
  }

  Facts chosen() const override {
    Facts facts = choice_.candidate ? facts_of(choice_, batch_) : products_->chosen();
    facts["products"] = batch_.count;
    return facts;
  }
  Facts resources() const override {
    return choice_.candidate ? resources_of(choice_) : products_->resources();
  }

  static std::string no_launch(const std::string& tile) {
    return "tile " + tile +
           ": one launch takes A as it is, or A transposed where rows start at multiples of 16 bytes";
  }

 private:
  GemmBatch batch_;
  std::string tile_;
  BatchChoice choice_;  ///< of a named tile
  std::unique_ptr<Session> products_;
};

std::string refused(const Instance& instance, const Parameters& parameters) {
  const GemmBatch batch = merged(batch_of(instance));
  if (std::string reason = too_long(batch.shape, batch.form); !reason.empty()) return reason;
  const std::string tile = text(parameters, "tile");
  if (tile == "auto" || choose_batched(batch, tile, true, PipelinedCard()).candidate) return {};
  return BatchSession::no_launch(tile);
}

ParameterSpec tile_parameter() {
  std::vector<ParameterValue> tiles;
  for (const BatchedCandidate& candidate : batched_candidates()) tiles.push_back(candidate.tile.name);
  tiles.push_back(std::string("auto"));
  return choice(
      "tile",
      "rows×columns of a product's C that a block computes (and k of a step); auto chooses by shape "
      "and card, and whether all products are one launch",
      tiles, tiles.back(), ", tile {tile}");
}

}  // namespace

const Implementation& pipelined_batched() {
  static const SessionRow<BatchSession> row(
      describe({.id = "gpu.pipelined_batched",
                .name = "pipelined batched",
                .summary =
                    "gpu.pipelined's steps for all products of a batch in one launch, transposes on the way",
                .source = "CUTLASS, batched GEMM",
                .parameters = {tile_parameter()},
                .operation = "batched_gemm"}),
      refused, unavailable);
  return row;
}

}  // namespace gemmlab::gpu
