#pragma once

// THE list of batched_gemm's GPU implementations, in the order of the ladder. To add one: write its file, defining
// `const Implementation& NAME()`, and add a row here.

#define GEMMLAB_GPU_BATCHED_GEMM(ROW) ROW(pipelined_batched) ROW(tensor_batched) ROW(cublas_batched)
