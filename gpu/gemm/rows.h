#pragma once

// THE list of gemm's GPU implementations, in the order of the ladder. To add one: write its file, defining
// `const Implementation& NAME()`, and add a row here.

#define GEMMLAB_GPU_GEMM(ROW)       \
  ROW(naive)                        \
  ROW(naive_uncoalesced)            \
  ROW(tiled)                        \
  ROW(tiled_rolled)                 \
  ROW(tiled_uncoalesced)            \
  ROW(tiled_conflicting)            \
  ROW(tiled_padded)                 \
  ROW(tiled_spare_column)           \
  ROW(tiled_cumulative)             \
  ROW(tiled_transposed)             \
  ROW(tiled_strided)                \
  ROW(register_tiled_1d)            \
  ROW(register_tiled_2d)            \
  ROW(vector_loads_4x4)             \
  ROW(vector_loads)                 \
  ROW(contiguous_columns)           \
  ROW(transposed_a)                 \
  ROW(register_tiled)               \
  ROW(double_buffered)              \
  ROW(double_buffered_two_barriers) \
  ROW(cp_async)                     \
  ROW(warp_tiled)                   \
  ROW(pipelined)                    \
  ROW(tensor)                       \
  ROW(multi)                        \
  ROW(multi_tensor)                 \
  ROW(cublas)                       \
  ROW(cublaslt)                     \
  ROW(cublasxt)                     \
  ROW(cublasmp)                     \
  ROW(cublas_tf32)                  \
  ROW(cublas_fp16)                  \
  ROW(cublas_bf16)
