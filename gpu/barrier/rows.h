#pragma once

// THE list of the GPU implementations of the operation barrier.

#define GEMMLAB_GPU_BARRIER(ROW) ROW(barrier)
