#include "gpu/table.h"
#include "lists/gpu_rows.h"

namespace gemmlab::gpu {

const std::vector<KnownRow>& known_rows() {
#define GEMMLAB_KNOWN(operation, name) {"gpu." #name, #operation},
  static const std::vector<KnownRow> rows = {GEMMLAB_GPU_ROWS(GEMMLAB_KNOWN)};
#undef GEMMLAB_KNOWN
  return rows;
}

}  // namespace gemmlab::gpu
