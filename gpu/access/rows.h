#pragma once

// THE list of the GPU implementations of the operation access.

#define GEMMLAB_GPU_ACCESS(ROW) \
  ROW(access)                   \
  ROW(access_spilling)
