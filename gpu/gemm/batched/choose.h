#pragma once

// Which tile a batch is computed with, if one launch for all of it is the better way.

#include "gpu/gemm/batched/candidates.h"
#include "gpu/gemm/pipelined/choose.h"
#include "operations/gemm/batch.h"

namespace gemmlab::gpu {

struct BatchChoice {
  const BatchedCandidate* candidate = nullptr;  ///< nullptr: one launch cannot take the batch
  BatchLayout layout = BatchLayout::kRowsBy4;
  double cycles = 0;  ///< as estimated
};

/// `tile`: a candidate's name, or "auto". `at_16_bytes`: where the first A and B begin.
BatchChoice choose_batched(const GemmBatch& batch, const std::string& tile, bool at_16_bytes,
                           const PipelinedCard& card);

/// Is that one launch better than gpu.pipelined's ways, product by product? They copy what is transposed first, and bring
/// beta·C, or rows of C with gaps, to the product afterwards.
bool batch_is_better(const BatchChoice& choice, const GemmBatch& batch, const PipelinedCard& card);

}  // namespace gemmlab::gpu
