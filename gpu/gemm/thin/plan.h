#pragma once

// The kernels of thin products, and how each is to be launched.

#include "gpu/gemm/thin/arguments.h"

namespace gemmlab::gpu::thin {

using Kernel = void (*)(Arguments);

/// A kernel, and what a block of it does.
struct Plan {
  Kernel kernel = nullptr;
  int threads = 0;
  int blocks_per_sm = 0;
  int results = 0;  ///< of each vector
  int vectors = 0;  ///< that it has room for
  int batch = 0;    ///< of K: the least that is worth a block
};

/// S is stored as (K, length), or as (length, K). `aligned`: its stored rows start at multiples of 16 bytes and consist
/// of whole ones. `wide`: blocks take 128 columns, else 32.
Plan plan_down(int count, bool aligned, bool wide);
Plan plan_along(int count, bool aligned);
/// One vector, S as (K, length) and aligned. Results of a block as those of plan_down(1, …, false).
Plan plan_row();

}  // namespace gemmlab::gpu::thin
