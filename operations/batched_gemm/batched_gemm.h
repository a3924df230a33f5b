#pragma once

// The operation batched_gemm: many products of one shape.

#include "core/operation.h"
#include "operations/gemm/batch.h"

namespace gemmlab {

/// What an instance of the operation batched_gemm computes: the matrices of each kind follow one another without gaps, or
/// are one for all. With one B for all, transposed A lie side by side, so that all products are one product of more rows.
GemmBatch batch_of(const Instance& instance);

}  // namespace gemmlab
