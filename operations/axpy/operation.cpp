// y = α·x + y, in place.

#include "operations/vectors.h"

namespace gemmlab {
namespace {

constexpr std::size_t kY = 1;

class Axpy : public VectorOperation {
 public:
  Axpy()
      : VectorOperation(
            "axpy", "y = α·x + y, float32",
            {{"x", Direction::kIn, ElementType::kFloat32}, {"y", Direction::kInOut, ElementType::kFloat32}},
            {factor_option("alpha", "what x is multiplied by")}) {}

  std::unique_ptr<OperationReference> reference(const Instance& instance, const InputValues& values,
                                                const DoubleProduct&) const override {
    return scaled_sum_reference(inputs(instance, values), factor(instance, "alpha"), Operand::kA, Operand::kB,
                                kY);
  }
};

}  // namespace

const Operation& axpy() {
  static const Axpy operation;
  return operation;
}

}  // namespace gemmlab
