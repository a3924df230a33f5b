#include "cpu/table.h"

#include "lists/cpu_rows.h"

namespace gemmlab::cpu {

#define GEMMLAB_DECLARE(operation, name) const Implementation& name();
GEMMLAB_CPU_ROWS(GEMMLAB_DECLARE)

const std::vector<const Implementation*>& implementations() {
#define GEMMLAB_ENTRY(operation, name) &name(),
  static const std::vector<const Implementation*> table = {GEMMLAB_CPU_ROWS(GEMMLAB_ENTRY)};
  return table;
}

}  // namespace gemmlab::cpu
