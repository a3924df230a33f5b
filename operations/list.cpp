// The list of operations(). An object of its own, so that a program may bring another.

#include "core/operations.h"
#include "lists/operations.h"

namespace gemmlab {

#define GEMMLAB_DECLARE(name) const Operation& name();
GEMMLAB_OPERATIONS(GEMMLAB_DECLARE)

const std::vector<const Operation*>& operations() {
#define GEMMLAB_ENTRY(name) &name(),
  static const std::vector<const Operation*> all = {GEMMLAB_OPERATIONS(GEMMLAB_ENTRY)};
  return all;
}

}  // namespace gemmlab
