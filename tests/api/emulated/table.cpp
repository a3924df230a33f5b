// gpu/table.h where kernels run on a CPU: the rows that can be emulated.

#include "gpu/table.h"

#include "emulated_rows.h"

namespace gemmlab::gpu {

#define GEMMLAB_DECLARE(name) const Implementation& name();
GEMMLAB_EMULATED_ROWS(GEMMLAB_DECLARE)
#undef GEMMLAB_DECLARE

const std::vector<const Implementation*>& implementations() {
#define GEMMLAB_ENTRY(name) &name(),
  static const std::vector<const Implementation*> table = {GEMMLAB_EMULATED_ROWS(GEMMLAB_ENTRY)};
#undef GEMMLAB_ENTRY
  return table;
}

const std::vector<KnownRow>& known_rows() {
  static const std::vector<KnownRow> none;
  return none;
}

}  // namespace gemmlab::gpu
