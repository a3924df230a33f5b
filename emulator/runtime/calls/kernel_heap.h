#pragma once

// Memory of the device that is neither an operand nor of cudaMalloc: what kernels take by malloc and new, for one call of solve, and
// the barrier of a grid.

namespace gemmlab::emulation {

void clear_kernel_heap();
/// At the end of a launch whose blocks have met as a grid.
void free_grid_barrier();

}  // namespace gemmlab::emulation
