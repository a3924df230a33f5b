#include "gpu/gemm/batched/choose.h"

#include <limits>

#include "gpu/gemm/batched/estimate.h"
#include "gpu/gemm/pipelined/architecture.h"
#include "gpu/gemm/thin/product.h"

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();  // blocks of a grid

bool in_fours(std::int64_t count) {
  constexpr std::int64_t kFloatsIn16Bytes = 4;
  return count % kFloatsIn16Bytes == 0;
}

/// The layout that one launch takes the batch by; false where there is none.
bool find_layout(const GemmBatch& batch, bool at_16_bytes, BatchLayout& layout) {
  const GemmForm& form = batch.form;
  const bool b_by_16 =
      at_16_bytes && in_fours(batch.shape.n) && in_fours(form.ldb) && in_fours(batch.stride_b);
  const bool a_by_16 =
      at_16_bytes && in_fours(batch.shape.m) && in_fours(form.lda) && in_fours(batch.stride_a);
  if (form.transpose_a) {
    layout = BatchLayout::kTurnedA;
    return !form.transpose_b && a_by_16 && b_by_16;
  }
  layout =
      form.transpose_b ? BatchLayout::kTurnedB : (b_by_16 ? BatchLayout::kRowsBy16 : BatchLayout::kRowsBy4);
  return true;
}

}  // namespace

BatchChoice choose_batched(const GemmBatch& batch, const std::string& tile, bool at_16_bytes,
                           const PipelinedCard& card) {
  BatchChoice best;
  BatchLayout layout = BatchLayout::kRowsBy4;
  if (scales_only(batch.shape, batch.form) || !find_layout(batch, at_16_bytes, layout)) return best;
  for (const BatchedCandidate& candidate : batched_candidates()) {
    const PipelinedCandidate& one = candidate.tile;
    if (tile != "auto" && tile != one.name) continue;
    const std::int64_t tiles = pipelined_tiles(one, batch.shape) * batch.count;
    if (tiles > kMost || blocks_per_sm(one, card) == 0) continue;
    const double cycles = batched_cycles(one, layout, batch, card);
    if (best.candidate == nullptr || cycles < best.cycles) best = {&candidate, layout, cycles};
  }
  return best;
}

bool batch_is_better(const BatchChoice& choice, const GemmBatch& batch, const PipelinedCard& card) {
  constexpr double kLaunch = 4000;  // in cycles: from one kernel's end to the next one's first loads
  if (choice.candidate == nullptr) return false;
  const Shape& shape = batch.shape;
  const GemmForm& form = batch.form;
  // one plain product, and a thin one in any form, has kernels of its own
  if (batch.count == 1 && (is_plain(shape, form) || is_thin(shape))) return false;
  const PipelinedChoice one = choose_pipelined(shape, "auto", card, layout_of_b(shape, form));
  if (one.candidate == nullptr) return true;
  const double rate = architecture_of(card.compute_capability).l2_bytes * card.sms / sizeof(float);
  double cycles = one.cycles + kLaunch;
  if (form.transpose_a) cycles += kLaunch + 2.0 * static_cast<double>(shape.a_count()) / rate;
  if (form.beta != 0 || form.ldc != shape.n)
    cycles += kLaunch + 3.0 * static_cast<double>(shape.c_count()) / rate;
  return choice.cycles < static_cast<double>(batch.count) * cycles;
}

}  // namespace gemmlab::gpu
