// Apart from find_operation.cpp, so that a program may bring a list of its own.

#include "core/operations.h"

#include "operations/operations.h"

namespace gemmlab {

#define GEMMLAB_DECLARE(name) const Operation& name();
GEMMLAB_OPERATIONS(GEMMLAB_DECLARE)

const std::vector<const Operation*>& operations() {
#define GEMMLAB_ENTRY(name) &name(),
  static const std::vector<const Operation*> all = {GEMMLAB_OPERATIONS(GEMMLAB_ENTRY)};
  return all;
}

}  // namespace gemmlab
