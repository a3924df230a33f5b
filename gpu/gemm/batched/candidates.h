#pragma once

// The tiles that batches are computed with. Every one costs compile time on every architecture.

#include <vector>

#include "gpu/gemm/batched/arguments.h"
#include "gpu/gemm/pipelined/candidates.h"

namespace gemmlab::gpu {

using BatchedKernel = void (*)(BatchedArguments);

/// How the operands of a batch may lie in memory for a kernel that takes the batch in one launch.
enum class BatchLayout {
  kRowsBy16,  ///< A and B as they are; the rows of B start at multiples of 16 bytes
  kRowsBy4,   ///< A and B as they are
  kTurnedB,   ///< B transposed
  kTurnedA,   ///< A transposed; its rows and those of B start at multiples of 16 bytes
};
inline constexpr int kBatchLayouts = 4;

struct BatchedCandidate {
  PipelinedCandidate tile;  ///< without kernels of its own
  BatchedKernel kernel[kBatchLayouts] = {};
};

const std::vector<BatchedCandidate>& batched_candidates();

}  // namespace gemmlab::gpu
