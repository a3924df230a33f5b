#include "gpu/table.h"

#include "lists/gpu_rows.h"

namespace gemmlab::gpu {

#define GEMMLAB_DECLARE(operation, name) const Implementation& name();
GEMMLAB_GPU_ROWS(GEMMLAB_DECLARE)
#undef GEMMLAB_DECLARE

bool built_with_cuda() {
  return true;
}

const std::vector<const Implementation*>& implementations() {
#define GEMMLAB_ENTRY(operation, name) &name(),
  static const std::vector<const Implementation*> table = {GEMMLAB_GPU_ROWS(GEMMLAB_ENTRY)};
#undef GEMMLAB_ENTRY
  return table;
}

}  // namespace gemmlab::gpu
