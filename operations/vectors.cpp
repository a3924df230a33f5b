#include "operations/vectors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "operations/gemm/verify_rows.h"

namespace gemmlab {
namespace {

constexpr std::int64_t kVectorPiece = 4096;  ///< elements that one thread makes and checks at a time

/// The base vector that an input operand is made from.
Operand base_of(std::size_t operand) {
  return operand == 0 ? Operand::kA : Operand::kB;
}

class ScaledSumReference : public OperationReference {
 public:
  ScaledSumReference(const VectorInputs& inputs, float scale, const ScaledSum& sum)
      : inputs_(inputs), scale_(scale), sum_(sum) {
    // ten bits on either side of the point: times 15, plus 15, that is exact in float
    constexpr double kBits = 1024;
    exact_ = inputs.exact() && std::abs(scale_) <= kBits && std::trunc(scale_ * kBits) == scale_ * kBits;
  }

  std::vector<Check> check(const Operands& operands, std::int64_t set) const override {
    const float* result = operands.in<float>(sum_.result);
    const Bounds bounds = Bounds::of(inputs_.distribution, 2);
    const std::int64_t pieces = (inputs_.n + kVectorPiece - 1) / kVectorPiece;
    const Worst worst = over_rows(pieces, kVectorPiece, [&](Worst& mine, std::int64_t piece) {
      const std::int64_t first = piece * kVectorPiece;
      const std::int64_t count = std::min(kVectorPiece, inputs_.n - first);
      float u[kVectorPiece];
      float v[kVectorPiece];
      inputs_.range(base_of(sum_.scaled), set, first, count, u);
      inputs_.range(base_of(sum_.added), set, first, count, v);
      for (std::int64_t i = 0; i < count; ++i) {
        const double product = scale_ * u[i];
        const double expected = product + v[i];
        if (exact_) {
          meet_exact(mine, result[first + i], expected, first + i);
        } else {
          meet_element(mine, bounds, result[first + i], expected, std::abs(product) + std::abs(v[i]),
                       first + i);
        }
      }
    });
    return {check_of(worst, bounds, exact_ ? "exact" : "bound", inputs_.n)};
  }

 private:
  VectorInputs inputs_;
  double scale_;
  ScaledSum sum_;
  bool exact_;
};

}  // namespace

void VectorInputs::range(Operand operand, std::int64_t set, std::int64_t first, std::int64_t count,
                         float* to) const {
  const std::int64_t base = (first + set % n + n) % n;
  const std::int64_t before_wrap = std::min(count, n - base);
  fill_range(to, base, before_wrap, distribution, seed, operand, limit);
  fill_range(to + before_wrap, 0, count - before_wrap, distribution, seed, operand, limit);
}

VectorOperation::VectorOperation(std::string name, std::string title, std::vector<OperandSpec> operands,
                                 std::vector<OptionSpec> options)
    : name_(std::move(name)),
      title_(std::move(title)),
      operands_(std::move(operands)),
      options_(std::move(options)) {}

const std::vector<DimensionSpec>& VectorOperation::dimensions() const {
  static const std::vector<DimensionSpec> dimensions = {
      {"n", "elements of each vector", 1, std::int64_t{1} << 32}};
  return dimensions;
}

std::int64_t VectorOperation::count(const Instance& instance, std::size_t) const {
  return instance.dims.at(0);
}

double VectorOperation::operation_count(const Instance& instance) const {
  return 2.0 * static_cast<double>(instance.dims.at(0));
}

std::vector<Rate> VectorOperation::rates(const Instance& instance) const {
  return memory_rates(least_bytes(instance), operation_count(instance));
}

std::string VectorOperation::why_not(const Instance& instance) const {
  for (const auto& [name, value] : instance.options) {
    const double* number = std::get_if<double>(&value);
    if (number != nullptr && !std::isfinite(*number)) return name + " is not a finite number";
  }
  return {};
}

std::optional<Instance> VectorOperation::part(const Instance& instance, double share) const {
  Instance shorter = instance;
  shorter.dims[0] = std::max<std::int64_t>(1, std::llround(share * static_cast<double>(instance.dims[0])));
  return shorter;
}

VectorInputs VectorOperation::inputs(const Instance& instance, const InputValues& values) const {
  return {values.distribution, values.seed, instance.dims.at(0), integer_limit(terms(instance))};
}

void VectorOperation::fill(const Instance& instance, std::size_t operand, const InputValues& values,
                           std::int64_t set, void* host_to) const {
  auto* to = static_cast<float*>(host_to);
  const std::int64_t elements = count(instance, operand);
  if (operands_.at(operand).direction == Direction::kOut) return fill_with_nan(to, elements);
  // vectors are matrices of one column, whose rows gemmlab::fill rotates
  gemmlab::fill(to, elements, 1, values.distribution, values.seed, base_of(operand), set,
                inputs(instance, values).limit);
}

std::vector<std::vector<std::int64_t>> VectorOperation::odd_dimensions() const {
  return {{1}, {2}, {3}, {31}, {33}, {127}, {1023}, {1025}, {4097}, {65'537}};
}

float factor(const Instance& instance, const std::string& name) {
  return static_cast<float>(std::get<double>(instance.option(name)));
}

ScaledSumOperation::ScaledSumOperation(std::string name, std::string title, std::vector<OperandSpec> operands,
                                       const ScaledSum& sum, const char* summary)
    : VectorOperation(std::move(name), std::move(title), std::move(operands),
                      {{sum.scale, summary, {}, 1.5}}),
      sum_(sum) {}

std::unique_ptr<OperationReference> ScaledSumOperation::reference(const Instance& instance,
                                                                  const InputValues& values,
                                                                  const DoubleProduct&) const {
  return std::make_unique<ScaledSumReference>(inputs(instance, values), factor(instance, sum_.scale), sum_);
}

void fill_with_nan(float* values, std::int64_t count) {
  std::fill(values, values + count, std::numeric_limits<float>::quiet_NaN());
}

std::vector<Rate> memory_rates(double bytes, double flop) {
  std::vector<Rate> found{{"gbyte_per_s", "GB/s", bytes / 1e9}};
  if (flop > 0) found.push_back({"gflop_per_s", "GFLOP/s", flop / 1e9});
  return found;
}

}  // namespace gemmlab
