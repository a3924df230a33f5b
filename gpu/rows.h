#pragma once

// THE list of GPU implementations, in the order of the ladder. To add one: write its file, defining
// `const Implementation& NAME()`, and add a row here and its file to CMakeLists.txt.

#define GEMMLAB_GPU_IMPLEMENTATIONS(ROW) \
  ROW(naive)                             \
  ROW(naive_uncoalesced)                 \
  ROW(tiled)                             \
  ROW(tiled_rolled)                      \
  ROW(tiled_uncoalesced)                 \
  ROW(tiled_conflicting)                 \
  ROW(tiled_padded)                      \
  ROW(register_tiled)                    \
  ROW(tensor)                            \
  ROW(cublas)                            \
  ROW(cublaslt)
