#include "gpu/table.h"
#include "operations/gpu_rows.h"

namespace gemmlab::gpu {

const std::vector<std::string>& known_ids() {
#define GEMMLAB_ID(name) "gpu." #name,
  static const std::vector<std::string> ids = {GEMMLAB_GPU_ROWS(GEMMLAB_ID)};
#undef GEMMLAB_ID
  return ids;
}

}  // namespace gemmlab::gpu
