#include "gpu/rows.h"
#include "gpu/table.h"

namespace gemmlab::gpu {

const std::vector<std::string>& known_ids() {
#define GEMMLAB_ID(name) "gpu." #name,
  static const std::vector<std::string> ids = {GEMMLAB_GPU_IMPLEMENTATIONS(GEMMLAB_ID)};
#undef GEMMLAB_ID
  return ids;
}

}  // namespace gemmlab::gpu
