#pragma once

// THE list of axpy's GPU implementations, in the order of the ladder. To add one: write its file, defining
// `const Implementation& NAME()`, and add a row here.

#define GEMMLAB_GPU_AXPY(ROW) ROW(axpy) ROW(axpy_tuned) ROW(cublas_axpy)
