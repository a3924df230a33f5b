#pragma once

#define GEMMLAB_GPU_ACCESS(ROW) \
  ROW(access)                   \
  ROW(access_spilling)
