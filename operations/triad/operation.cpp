// a = b + s·c, the triad of STREAM and BabelStream.

#include "operations/vectors.h"

namespace gemmlab {
namespace {

constexpr std::size_t kResult = 2;

class Triad : public VectorOperation {
 public:
  Triad()
      : VectorOperation("triad", "a = b + s·c, float32",
                        {{"b", Direction::kIn, ElementType::kFloat32},
                         {"c", Direction::kIn, ElementType::kFloat32},
                         {"a", Direction::kOut, ElementType::kFloat32}},
                        {factor_option("scalar", "what c is multiplied by")}) {}

  std::unique_ptr<OperationReference> reference(const Instance& instance, const InputValues& values,
                                                const DoubleProduct&) const override {
    return scaled_sum_reference(inputs(instance, values), factor(instance, "scalar"), Operand::kB,
                                Operand::kA, kResult);
  }
};

}  // namespace

const Operation& triad() {
  static const Triad operation;
  return operation;
}

}  // namespace gemmlab
