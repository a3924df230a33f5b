#pragma once

// What the file of a rung that multiplies in its operands' types hands to the table, and what it is called with. Read by files that
// are compiled for instructions that not every machine has: no code of its own.

#include <cstdint>

#include "core/element_type.h"
#include "operations/gemm/form.h"

namespace gemmlab::cpu {

/// One multiplication: C = alpha·op(A)·op(B) + beta·C. op(A) (m, k), op(B) (k, n), both of `type`; C (m, n) of `result`, overwritten,
/// and read for a beta alone that is not 0. With alpha = 0 k is 0. Row-major, leading dimensions in elements.
struct TypedProduct {
  const char* a;
  const char* b;
  char* c;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  int threads;
  GemmForm form;
  ElementType type;
  ElementType result;
  char* panels_a;  ///< room for all of A as panels.h lays it out; nullptr where the rung packs nothing
  char* panels_b;  ///< the same of B
  std::int64_t block_rows;  ///< of C that one thread makes at a time, at most: multiples of 32
  std::int64_t block_cols;
};

struct TypedMethod {
  const char* id;
  const char* name;  ///< in texts and figures
  const char* family = "matrix units";
  const char* summary;
  const char* source;
  const char* counterpart = "";
  bool packs;                            ///< A and B are copied into panels first
  int (*multiply)(const TypedProduct&);  ///< returns the number of threads that took part
};

}  // namespace gemmlab::cpu
