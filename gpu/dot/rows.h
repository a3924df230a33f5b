#pragma once

// THE list of dot's GPU implementations, in the order of the ladder. To add one: write its file, defining
// `const Implementation& NAME()`, and add a row here.

#define GEMMLAB_GPU_DOT(ROW) ROW(dot) ROW(dot_tuned) ROW(cublas_dot)
