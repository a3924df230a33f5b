// a = b + s·c, the triad of STREAM and BabelStream.

#include "operations/vectors.h"

namespace gemmlab {

const Operation& triad() {
  static const ScaledSumOperation operation("triad", "a = b + s·c, float32",
                                            {{"b", Direction::kIn, ElementType::kFloat32},
                                             {"c", Direction::kIn, ElementType::kFloat32},
                                             {"a", Direction::kOut, ElementType::kFloat32}},
                                            kTriad, "what c is multiplied by");
  return operation;
}

}  // namespace gemmlab
