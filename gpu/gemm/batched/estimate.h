#pragma once

// How long one launch for a batch takes with one tile.

#include "gpu/gemm/batched/candidates.h"
#include "gpu/gemm/pipelined/choose.h"
#include "operations/gemm/batch.h"

namespace gemmlab::gpu {

/// In clock cycles, its launch among them. A tile that fits an SM at least once.
double batched_cycles(const PipelinedCandidate& tile, BatchLayout layout, const GemmBatch& batch,
                      const PipelinedCard& card);

}  // namespace gemmlab::gpu
