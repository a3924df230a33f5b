// THE list of GPU implementations, in the order of the ladder. To add one: write its file, defining
// `const Implementation& NAME()`, and add a row here and its file to CMakeLists.txt.

#include "gpu/table.h"

#define GEMMLAB_GPU_IMPLEMENTATIONS(ROW) \
  ROW(naive)                             \
  ROW(naive_uncoalesced)                 \
  ROW(tiled)                             \
  ROW(tiled_rolled)                      \
  ROW(tiled_uncoalesced)                 \
  ROW(tiled_conflicting)                 \
  ROW(tiled_padded)                      \
  ROW(register_tiled)                    \
  ROW(cublas)                            \
  ROW(cublaslt)

namespace gemmlab::gpu {

#define GEMMLAB_DECLARE(name) const Implementation& name();
GEMMLAB_GPU_IMPLEMENTATIONS(GEMMLAB_DECLARE)
#undef GEMMLAB_DECLARE

bool built_with_cuda() {
  return true;
}

const std::vector<const Implementation*>& implementations() {
#define GEMMLAB_ENTRY(name) &name(),
  static const std::vector<const Implementation*> table = {GEMMLAB_GPU_IMPLEMENTATIONS(GEMMLAB_ENTRY)};
#undef GEMMLAB_ENTRY
  return table;
}

}  // namespace gemmlab::gpu
