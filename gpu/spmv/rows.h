#pragma once

// THE list of spmv's GPU implementations, in the order of the ladder.

#define GEMMLAB_GPU_SPMV(ROW) \
  ROW(spmv_scalar)            \
  ROW(spmv_warp)              \
  ROW(spmv_adaptive)          \
  ROW(spmv_merge)             \
  ROW(cusparse_spmv)
