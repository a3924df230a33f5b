// r = Σ x[i]·y[i].

#include <algorithm>
#include <cmath>

#include "operations/gemm/verify_rows.h"
#include "operations/vectors.h"

namespace gemmlab {
namespace {

constexpr std::size_t kResult = 2;

class DotReference : public OperationReference {
 public:
  DotReference(const VectorInputs& inputs) : inputs_(inputs) {
    // summed piece by piece, and the pieces in order: the same for any number of threads
    constexpr std::int64_t kPiece = 4096;
    const std::int64_t pieces = (inputs.n + kPiece - 1) / kPiece;
    std::vector<double> sums(static_cast<std::size_t>(pieces));
    std::vector<double> absolute(static_cast<std::size_t>(pieces));
#pragma omp parallel for schedule(static) if (inputs.n > kWorthThreads)
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      float x[kPiece];
      float y[kPiece];
      const std::int64_t first = piece * kPiece;
      const std::int64_t count = std::min(kPiece, inputs.n - first);
      inputs.range(Operand::kA, 0, first, count, x);
      inputs.range(Operand::kB, 0, first, count, y);
      double sum = 0;
      double magnitude = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        const double product = static_cast<double>(x[i]) * y[i];
        sum += product;
        magnitude += std::abs(product);
      }
      sums[static_cast<std::size_t>(piece)] = sum;
      absolute[static_cast<std::size_t>(piece)] = magnitude;
    }
    for (const double sum : sums) sum_ += sum;
    for (const double magnitude : absolute) absolute_ += magnitude;
  }

  /// Both vectors of a set are shifted alike, so every set has the same sum.
  std::vector<Check> check(const Operands& operands, std::int64_t) const override {
    const float result = *operands.in<float>(kResult);
    const Bounds bounds = Bounds::of(inputs_.distribution, inputs_.n);
    Worst worst;
    if (inputs_.exact()) {
      meet_exact(worst, result, sum_, 0);
    } else {
      meet_element(worst, bounds, result, sum_, absolute_, 0);
    }
    return {check_of(worst, bounds, inputs_.exact() ? "exact" : "bound", 1)};
  }

 private:
  VectorInputs inputs_;
  double sum_ = 0;
  double absolute_ = 0;
};

class Dot : public VectorOperation {
 public:
  Dot()
      : VectorOperation("dot", "r = x·y, float32",
                        {{"x", Direction::kIn, ElementType::kFloat32},
                         {"y", Direction::kIn, ElementType::kFloat32},
                         {"r", Direction::kOut, ElementType::kFloat32}},
                        {}) {}

  std::int64_t count(const Instance& instance, std::size_t operand) const override {
    return operand == kResult ? 1 : instance.dims.at(0);
  }
  std::unique_ptr<OperationReference> reference(const Instance& instance, const InputValues& values,
                                                const DoubleProduct&) const override {
    return std::make_unique<DotReference>(inputs(instance, values));
  }

 protected:
  std::int64_t terms(const Instance& instance) const override { return instance.dims.at(0); }
};

}  // namespace

const Operation& dot() {
  static const Dot operation;
  return operation;
}

}  // namespace gemmlab
