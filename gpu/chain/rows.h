#pragma once

// THE list of the GPU implementations of the operation chain.

#define GEMMLAB_GPU_CHAIN(ROW) ROW(chain)
