#pragma once

// Rows of a sparse matrix that several blocks share: adds their sums up in a fixed order.

#include "gpu/spmv/session.h"

namespace gemmlab::gpu {

/// What a tile of entries leaves over: the sum so far of the row that goes on behind its end. `row` is m
/// where there is none.
struct Carry {
  int row;
  float sum;
};

/// Adds to y what `tiles` tiles in the order of their entries left over, in the current stream. The place of
/// the tiles alone decides the order of the additions: the same bits in every call.
void add_carries(const SpmvProblem& problem, int tiles, const Carry* carries);

}  // namespace gemmlab::gpu
