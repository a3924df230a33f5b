#pragma once

// THE list of the GPU implementations of the operation chase.

#define GEMMLAB_GPU_CHASE(ROW) ROW(chase)
