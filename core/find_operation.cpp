#include "core/operations.h"

namespace gemmlab {

const Operation* find_operation(const std::string& name) {
  for (const Operation* operation : operations()) {
    if (operation->name() == name) return operation;
  }
  return nullptr;
}

}  // namespace gemmlab
