#pragma once

#include "gpu/gemm/thin/arguments.h"

namespace gemmlab::gpu::thin {

using Kernel = void (*)(Arguments);

/// A kernel, and what a block of it does.
struct Plan {
  Kernel kernel = nullptr;
  int results = 0;  ///< of each vector
  int vectors = 0;  ///< that it has room for
  int batch = 0;    ///< of K: the least that is worth a block
  int shared_bytes = 0;
};

/// S is stored as (K, length), or as (length, K). `aligned`: its stored rows start at multiples of 16 bytes and consist
/// of whole ones. `clusters`: the splits of K are a cluster.
Plan plan_down(int count, bool aligned, bool clusters);
Plan plan_along(int count, bool aligned, bool clusters);

}  // namespace gemmlab::gpu::thin
