#pragma once

// What a method's file hands to the table. Like all that such a file includes, no code of its
// own: see kernel.h.

#include <cstdint>

#include "cpu/device/kernel.h"

namespace gemmlab::cpu {

/// One product y = A·x. A (m, n) in CSR with nnz entries: those of row r are offsets[r] to offsets[r + 1];
/// columns in any order; float32. y (m) is overwritten, never read; no overlap.
struct SpmvProblem {
  const float* values;
  const std::int32_t* columns;
  const std::int32_t* offsets;
  const float* x;
  float* y;
  std::int64_t m;
  std::int64_t n;
  std::int64_t nnz;
  int threads;
};

struct SpmvMethod {
  const char* id;
  const char* name = "";    ///< in texts and figures; "": made of the id
  const char* family = "";  ///< whose colour it has in figures: see Description
  const char* summary;
  const char* source;
  const char* counterpart = "";      ///< "" where there is none
  bool threaded = false;             ///< takes the parameter `threads`
  const char* library_version = "";  ///< of the library that it is made of; "" for our own loops
  /// Multiplies and returns the number of threads that took part.
  int (*multiply)(const SpmvProblem&);
};

/// The first row of share `part` of `parts` equal shares of rows and entries together: a row counts one more
/// than it has entries, so that empty rows are shared out, too. Each row belongs to one share.
static inline std::int64_t first_row_of(const SpmvProblem& p, std::int64_t part, std::int64_t parts) {
  const std::int64_t before = (p.m + p.nnz) * part / parts;
  std::int64_t low = 0;
  std::int64_t high = p.m;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (p.offsets[middle] + middle < before) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace gemmlab::cpu
