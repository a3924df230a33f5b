#pragma once

// THE list of gemv's GPU implementations, in the order of the ladder. To add one: write its file, defining
// `const Implementation& NAME()`, and add a row here.

#define GEMMLAB_GPU_GEMV(ROW) ROW(gemv) ROW(gemv_warp) ROW(gemv_tuned) ROW(cublas_gemv)
