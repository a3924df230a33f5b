#include <algorithm>
#include <memory>
#include <stdexcept>

#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/gemm/batched/product.h"
#include "gpu/gemm/pipelined/card.h"
#include "gpu/gemm/pipelined/choose.h"
#include "gpu/gemm/pipelined/session.h"
#include "gpu/gemm/scale.h"
#include "gpu/gemm/session.h"
#include "gpu/gemm/thin/product.h"
#include "gpu/gemm/vector_product.h"
#include "gpu/table.h"
#include "operations/tuned.h"

namespace gemmlab::gpu {
namespace {

constexpr const char* kAutomatic = "auto";

/// The card that is here; without one, the H200 that the committed results come from.
PipelinedCard card_or_reference() {
  return gpu::unavailable().empty() ? this_card() : PipelinedCard();
}

/// The tile that "auto" stands for: what `gemmlab tune` found on this card near this shape, else "auto"
/// itself, the estimate. `source` says which.
std::string tile_for(const Shape& shape, const PipelinedCard& card, std::string& source) {
  source = "estimate for compute capability " + std::to_string(card.compute_capability / 10) + "." +
           std::to_string(card.compute_capability % 10);
  if (card.name.empty()) return kAutomatic;
  try {
    const std::vector<Tuned> known = read_tuned(tuned_file(), card.name, "gpu.pipelined");
    const Tuned* found = nearest(known, shape);
    if (found != nullptr && choose_pipelined(shape, found->choice, card).candidate) {
      source = "tuned on this card at " + std::to_string(found->shape.m) + "x" +
               std::to_string(found->shape.k) + "x" + std::to_string(found->shape.n);
      return found->choice;
    }
  } catch (const std::runtime_error& error) {
    source += "; " + std::string(error.what());
  }
  return kAutomatic;
}

/// Is the product left to the kernels for thin ones? A form of its own always: they need no copy of the operands.
bool takes_thin(const PipelinedChoice& choice, const Shape& shape, const GemmForm& form,
                const std::string& tile, const PipelinedCard& card) {
  if (tile != kAutomatic || !is_thin(shape)) return false;
  return !choice.candidate || !is_plain(shape, form) || thin_cycles(shape, card) < choice.cycles;
}

class Pipelined : public GemmImplementation, public TakesBatches {
 public:
  explicit Pipelined(Description description) : description_(std::move(description)) {}
  const Description& description() const override { return description_; }
  std::string unavailable() const override { return gpu::unavailable(); }

  std::string why_not(const Shape& shape, const Parameters& parameters) const override {
    if (std::string reason = too_long(shape); !reason.empty()) return reason;
    const std::string tile = text(parameters, "tile");
    if (choose_pipelined(shape, tile, card_or_reference()).candidate) return {};
    return no_tile(tile);
  }

  /// A once for each column of tiles, B once for each row of tiles, C once; a copy of B, and shared sums,
  /// to and fro.
  double moved_bytes(const Shape& shape, const Parameters& parameters) const override {
    const PipelinedCard card = card_or_reference();
    std::string tile = text(parameters, "tile");
    std::string source;
    if (tile == kAutomatic && is_vector_product(shape, form_of(shape))) return shape.least_bytes();
    if (tile == kAutomatic) tile = tile_for(shape, card, source);
    const PipelinedChoice choice = choose_pipelined(shape, tile, card);
    if (takes_thin(choice, shape, form_of(shape), tile, card)) return shape.least_bytes();
    if (!choice.candidate) return 0;
    const Schedule& schedule = choice.schedule;
    const double sums = 2.0 * schedule.split_blocks * choice.candidate->BM * choice.candidate->BN;
    return sizeof(float) * (static_cast<double>(shape.a_count()) * schedule.tiles_across +
                            static_cast<double>(shape.b_count()) * schedule.tiles_down +
                            static_cast<double>(shape.c_count()) +
                            2.0 * static_cast<double>(padded_floats(choice, shape)) + sums);
  }

  std::string why_not_form(const Shape& shape, const GemmForm& form,
                           const Parameters& parameters) const override {
    if (std::string reason = wrong_form(shape, form); !reason.empty()) return reason;
    if (std::string reason = too_long(shape, form); !reason.empty()) return reason;
    return scales_only(shape, form) ? std::string() : why_not(shape, parameters);
  }

  bool one_launch(const GemmBatch& batch) const override {
    const GemmBatch fewer = merged(batch);
    return fewer.count == 1 || choose_batched(fewer, kAutomatic, true, card_or_reference()).candidate;
  }

  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override {
    return prepare_form(shape, form_of(shape), parameters);
  }

  std::unique_ptr<Session> prepare_form(const Shape& shape, const GemmForm& form,
                                        const Parameters& parameters) const override {
    if (scales_only(shape, form)) return make_scale_session(shape, form);
    return with_batches(prepare_one(shape, form, text(parameters, "tile")), shape, form);
  }

 private:
  /// For one product.
  std::unique_ptr<Session> prepare_one(const Shape& shape, const GemmForm& form, std::string tile) const {
    if (tile == kAutomatic && is_vector_product(shape, form)) {
      return row_fills_card(shape) ? make_thin_session(shape, form) : make_vector_product(shape);
    }
    const PipelinedCard& card = this_card();
    std::string source = "parameter tile";
    if (tile == kAutomatic) tile = tile_for(shape, card, source);
    const PipelinedChoice choice = choose_pipelined(shape, tile, card, layout_of_b(shape, form));
    if (takes_thin(choice, shape, form, tile, card)) return make_thin_session(shape, form);
    if (!choice.candidate) throw std::runtime_error(no_tile(tile));
    return make_pipelined_session(choice, shape, form, source);
  }

  static std::string no_tile(const std::string& tile) {
    return "tile " + tile + ": C has too many tiles for a grid, or the card too little shared memory";
  }

  Description description_;
};

ParameterSpec tile_parameter() {
  std::vector<ParameterValue> tiles;
  for (const PipelinedCandidate& candidate : pipelined_candidates()) tiles.push_back(candidate.name);
  tiles.push_back(std::string(kAutomatic));
  return choice("tile",
                "rows×columns of C that a block computes (and k of a step); auto chooses by shape and card",
                tiles, tiles.back(), " {tile}");
}

}  // namespace

const Implementation& pipelined() {
  static const Pipelined implementation(describe(
      {.id = "gpu.pipelined",
       .name = "pipelined",
       .family = "best",
       .summary = "16×8 of C per thread, three stages of copies, fragments read ahead, stream-K; tile "
                  "by shape and card",
       .source = "CUTLASS, efficient GEMM; M. Osama et al., Stream-K (2023)",
       .parameters = {tile_parameter()}}));
  return implementation;
}

}  // namespace gemmlab::gpu
