// y = α·x + y, in place.

#include "operations/vectors.h"

namespace gemmlab {

const Operation& axpy() {
  static const ScaledSumOperation operation(
      "axpy", "y = α·x + y, float32",
      {{"x", Direction::kIn, ElementType::kFloat32}, {"y", Direction::kInOut, ElementType::kFloat32}}, kAxpy,
      "what x is multiplied by");
  return operation;
}

}  // namespace gemmlab
