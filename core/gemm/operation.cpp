#include "core/operation.h"

#include <algorithm>
#include <cmath>

#include "core/gemm/implementation.h"
#include "core/gemm/reference.h"

namespace gemmlab {
namespace {

constexpr std::size_t kA = 0;
constexpr std::size_t kB = 1;

/// R and |A||B|, as the harness asks for them.
class GemmReference : public OperationReference {
 public:
  GemmReference(const Shape& shape, const InputValues& values, const DoubleProduct& product)
      : reference_(shape, values.distribution, values.seed, product) {}
  std::vector<Check> check(const Operands& operands, std::int64_t set) const override {
    return reference_.check(operands.in<float>(2), set % reference_.shape().m);
  }

 private:
  Reference reference_;
};

/// C = A·B: A (M, K), B (K, N), C (M, N), row-major float32.
class Gemm : public Operation {
 public:
  const std::string& name() const override {
    static const std::string name = "gemm";
    return name;
  }
  std::string title() const override { return "C = A·B, float32"; }
  const std::vector<DimensionSpec>& dimensions() const override {
    static const std::vector<DimensionSpec> all = {{"m", "rows of A and C", 1, 1 << 20},
                                                   {"n", "columns of B and C", 1, 1 << 20},
                                                   {"k", "columns of A, rows of B", 1, 1 << 20}};
    return all;
  }
  const std::vector<OptionSpec>& options() const override {
    static const std::vector<OptionSpec> none;
    return none;
  }
  const std::vector<OperandSpec>& operands() const override {
    static const std::vector<OperandSpec> all = {{"A", Direction::kIn, ElementType::kFloat32},
                                                 {"B", Direction::kIn, ElementType::kFloat32},
                                                 {"C", Direction::kOut, ElementType::kFloat32}};
    return all;
  }
  std::vector<std::int64_t> dims_of_size(std::int64_t size) const override { return {size, size, size}; }

  std::int64_t count(const Instance& instance, std::size_t operand) const override {
    const Shape shape = shape_of(instance);
    if (operand == kA) return shape.a_count();
    return operand == kB ? shape.b_count() : shape.c_count();
  }
  double operation_count(const Instance& instance) const override { return shape_of(instance).flop(); }
  double least_bytes(const Instance& instance) const override { return shape_of(instance).least_bytes(); }
  std::vector<Rate> rates(const Instance& instance) const override {
    return {{"gflop_per_s", "GFLOP/s", shape_of(instance).flop() * 1e-9}};
  }
  std::string why_not(const Instance&) const override { return {}; }

  /// Set s is the base with A's rows rotated by s, so that one reference serves all; B is the same in every set.
  void fill(const Instance& instance, std::size_t operand, const InputValues& values, std::int64_t set,
            void* host_to) const override {
    const Shape shape = shape_of(instance);
    const bool a = operand == kA;
    gemmlab::fill(static_cast<float*>(host_to), a ? shape.m : shape.k, a ? shape.k : shape.n,
                  values.distribution, values.seed, a ? Operand::kA : Operand::kB, a ? set % shape.m : 0,
                  integer_limit(shape.k));
  }
  bool differs_by_set(std::size_t operand) const override { return operand == kA; }
  Check unchanged(const Instance& instance, const Operands& operands, const InputValues& values,
                  std::int64_t set) const override {
    const Shape shape = shape_of(instance);
    return check_inputs_unchanged(operands.in<float>(kA), operands.in<float>(kB), shape, values.distribution,
                                  values.seed, set % shape.m, integer_limit(shape.k));
  }
  /// The first rows of A and C: the same B, the same strides.
  std::optional<Instance> part(const Instance& instance, double share) const override {
    Shape rows = shape_of(instance);
    rows.m = std::clamp<std::int64_t>(std::llround(share * static_cast<double>(rows.m)), 1, rows.m);
    return gemm_at(rows);
  }
  std::unique_ptr<OperationReference> reference(const Instance& instance, const InputValues& values,
                                                const DoubleProduct& product) const override {
    return std::make_unique<GemmReference>(shape_of(instance), values, product);
  }

  /// 1, primes, a tile less one, a tile, a tile and one more, and M ≠ N ≠ K.
  std::vector<std::vector<std::int64_t>> odd_dimensions() const override {
    std::vector<std::vector<std::int64_t>> shapes{
        {1, 1, 1},     {1, 257, 64},   {257, 1, 33},    {64, 64, 1},     {2, 3, 5},      {13, 11, 7},
        {31, 37, 29},  {5, 3, 1000},   {33, 65, 17},    {129, 63, 31},   {100, 260, 140}, {16, 1024, 512},
        {1024, 16, 512}, {200, 130, 24}, {255, 257, 256}, {521, 509, 263}};
    for (std::int64_t tile : {4, 8, 16, 32, 64, 128}) {
      for (std::int64_t size : {tile - 1, tile, tile + 1}) shapes.push_back({size, size, size});
    }
    return shapes;
  }
};

}  // namespace

const Operation& gemm() {
  static const Gemm operation;
  return operation;
}

}  // namespace gemmlab
