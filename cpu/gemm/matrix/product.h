#pragma once

// The product of split operands on the matrix unit. What the session hands it and gets back; the blocks.

#include <cstdint>

#include "cpu/gemm/matrix/digit_range.h"
#include "cpu/gemm/matrix/range.h"

namespace gemmlab::cpu {

/// Multiples of 32, but for the shares.
struct MatrixBlocks {
  std::int64_t rows;  ///< of C that one thread makes at a time
  std::int64_t cols;
  std::int64_t terms;  ///< added up on the unit before FP32 takes the sum
  std::int64_t deep;   ///< terms that are split before any is multiplied: a multiple of `terms`
};

/// C = A·B, row-major. `parts_a` and `parts_b` have room for whole panels, at a line's start (layout.h).
struct MatrixWork {
  const float* a;
  const float* b;
  float* c;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  int threads;
  MatrixBlocks blocks;
  char* parts_a;
  char* parts_b;
  float* left_out;         ///< as many as C has: what rounding left out of each sum; nullptr: nobody keeps it
  double* undo = nullptr;  ///< digits: of each row of A and each column of B, whole panels
};

/// What was seen of A and B, as far as they were read.
struct MatrixSeen {
  Range a;
  Range b;
  PartProducts products = PartProducts::kSix;  ///< in the last pass
  int threads = 0;
  double split_s = 0;  ///< when all had split the first pass, on omp_get_wtime()'s clock
};

/// What a build has for the unit, or for its emulation in a test.
struct MatrixUnit {
  /// False where the ranges do not hold with these scales: C is then whatever was made until that was seen.
  bool (*multiply)(const MatrixWork& work, const Scales& scales, MatrixSeen* seen);
  /// The ranges of all of A and B.
  void (*look)(const MatrixWork& work, MatrixSeen* seen);
  /// The product of digits. False where they do not hold: C is as it was.
  bool (*multiply_by_digits)(const MatrixWork& work, MatrixSeen* seen);
};

namespace amx {
extern const MatrixUnit matrix_unit;
}

}  // namespace gemmlab::cpu
