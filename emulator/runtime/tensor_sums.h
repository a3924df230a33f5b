#pragma once

// Sums of products as tensor cores form them: products exact, all terms of one step aligned to the largest and cut there, the sum
// cut to the result. How many bits are kept: tests/emulator/tensor_sums_test.cpp, as measured on a card.

#include <cstdint>

namespace gemmlab::emulation {

/// What a step keeps behind the leading bit of its largest term.
struct SumWidth {
  int bits;   ///< of a fraction
  int terms;  ///< added in one step
};

/// Of an instruction with `terms` terms, of `bits` an element of A and B.
SumWidth tensor_width(int bits, int terms);
/// A row of A and a column of B, widened to float; their product sums are added to `sum`. `count` terms.
float tensor_sum(const float* a, const float* b, int count, float sum, const SumWidth& width);
/// rows×columns of D (D + row·columns + col) by a of (rows, count) and b of (columns, count).
void tensor_sums(float* d, const float* a, const float* b, int rows, int columns, int count,
                 const SumWidth& width);

}  // namespace gemmlab::emulation
