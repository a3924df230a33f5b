#pragma once

// Sums of products as Hopper's tensor cores form them: products exact; they and what they are added to aligned to the largest and
// cut there, towards zero; the exact sum cut to what the result keeps. Equal to the bit to an H200's: tests/emulator/tensor_sums.txt.

#include <cstdint>

namespace gemmlab::emulation {

struct SumWidth {
  int bits;   ///< kept behind the leading bit of a step's largest term
  int terms;  ///< added in one step
  int kept;   ///< of the result's fraction
  bool
      by_pairs;  ///< the first two of every four terms, then the others, from 0; the sum before is added last, to the nearest
};

/// Of mma.sync and wmma, with `terms` terms, of `bits` an element of A and B.
SumWidth sum_of_warp(int bits, int terms);
/// Of wgmma.
SumWidth sum_of_warpgroup(int bits, int terms);
/// A row of A and a column of B, widened to float; their product sums are added to `sum`. `count` terms.
float tensor_sum(const float* a, const float* b, int count, float sum, const SumWidth& width);
/// rows×columns of D (D + row·columns + col) by a of (rows, count) and b of (columns, count).
void tensor_sums(float* d, const float* a, const float* b, int rows, int columns, int count,
                 const SumWidth& width);

}  // namespace gemmlab::emulation
