#pragma once

// What a plain method's file hands to the table. Like all that such a file includes, no code of its
// own: see kernel.h.

#include <cstdint>

#include "cpu/device/kernel.h"
#include "operations/gemm/form.h"

namespace gemmlab::cpu {

/// What a method may go by besides the shape.
struct Machine {
  int cores;  ///< that this process may use
  std::int64_t l1d_bytes;
  std::int64_t l2_bytes;  ///< a core's
};

struct Product;
/// Multiplies and returns the number of threads that took part.
using Kernel = int (*)(const Product&);

/// What a method decided for a shape and a machine, before it sees A or B; goes into the record. For methods
/// without a plan, path is nullptr.
struct Plan {
  const char* path;  ///< which of its paths it takes
  std::int64_t mr;   ///< rows of a register tile, at most
  std::int64_t mc;   ///< rows that share a block of B
  std::int64_t kc;   ///< terms added up in registers at a time
  std::int64_t nc;   ///< columns of a block of B
  int threads;
  int over_m;  ///< equal shares of the rows, of the columns and of the terms; threads is their product
  int over_n;
  int over_k;
  Kernel whole;  ///< what computes such a product without a further choice; nullptr where choices are left
};

/// One multiplication: C = A·B, or what `form` says, which is looked at by methods alone that take it. A (m,
/// k), B (k, n), C (m, n), row-major float32, no overlap; C is overwritten, and read for a beta alone that
/// is not 0.
struct Product {
  const float* a;
  const float* b;
  float* c;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  int threads;
  std::int64_t block;  ///< 0 where the method has none
  Plan plan;           ///< the method's own, where it makes one
  GemmForm form = {};
};

/// Looks at m, n, k and threads, here an upper limit.
using MakePlan = Plan (*)(const Product&, const Machine&);

/// Bytes that the order of its loops moves between memory and the core, were nothing kept near but the one
/// row that the inner two loops come back to, or the block that it is made for: four for each element read or
/// written. The caches of a real processor keep more of small shapes. Looks at m, n, k and block alone.
using MovedBytes = double (*)(const Product&);

/// Of loops that make C row by row: a row of A or of C stays, B is read whole for each row of C. m·k + m·n·k
/// + m·n elements.
double moved_row_by_row(const Product& p);

struct Method {
  const char* id;
  const char* name = "";    ///< in texts and figures; "": made of the id
  const char* family = "";  ///< whose colour it has in figures: see Description
  const char* summary;
  const char* source;
  const char* counterpart = "";  ///< "" where there is none
  bool threaded = false;         ///< takes the parameter `threads`
  const std::int64_t* blocks =
      nullptr;  ///< choices of the parameter `block`, rising; nullptr where there is none
  int block_count = 0;
  std::int64_t default_block = 0;
  const char* library_version = "";  ///< of the library that it is made of; "" for our own loops
  Kernel multiply;
  MovedBytes moved_bytes = nullptr;  ///< nullptr where unknown
  /// Made once per session. A method that has one takes `threads` as an upper limit.
  MakePlan plan = nullptr;
  /// Does it compute alpha·op(A)·op(B) + beta·C with any leading dimensions? Never asked to where alpha or a
  /// dimension is 0.
  bool takes_forms = false;
};

}  // namespace gemmlab::cpu
