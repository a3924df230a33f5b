#pragma once

// Memory of the device that is neither an operand nor of cudaMalloc: what kernels take by malloc and new, for one call of solve, and
// the barrier of a grid.

#include <cstddef>

namespace gemmlab::emulation {

void clear_kernel_heap();
/// Kernels that kernels have launched and that do not run yet: as many as cudaDeviceSetLimit says, or 2048.
std::size_t most_pending_launches();
/// At the end of a launch whose blocks have met as a grid.
void free_grid_barrier();

}  // namespace gemmlab::emulation
