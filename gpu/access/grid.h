#pragma once

// How many blocks of a reading kernel stay on an SM, and how dynamic shared memory holds them down.

#include "core/implementation.h"
#include "gpu/device/launch.h"

namespace gemmlab::gpu::accessing {

struct Grid {
  int blocks = 0;         ///< of the whole grid: all stay resident
  int blocks_per_sm = 0;  ///< what the card really keeps
  std::size_t shared_bytes = 0;
};

/// `wanted` blocks of kThreads per SM, by as much dynamic shared memory per block as leaves room for no more;
/// 0: as many as fit. How an SM's memory is divided into L1 and shared belongs to the kernel: each of the two
/// cases needs a kernel of its own.
Grid grid_of(const void* kernel, int wanted);

/// The parameter `blocks_per_sm`.
ParameterSpec blocks_parameter();

}  // namespace gemmlab::gpu::accessing
