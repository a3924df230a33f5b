#pragma once

// THE list of the GPU implementations of the operation lanes.

#define GEMMLAB_GPU_LANES(ROW) ROW(lanes)
