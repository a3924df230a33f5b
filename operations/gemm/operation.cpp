#include "core/operation.h"

#include <algorithm>
#include <cmath>

#include "operations/gemm/implementation.h"
#include "operations/gemm/reference.h"
#include "operations/gemm/stored_matrix.h"

namespace gemmlab {
namespace {

constexpr std::int64_t kMostExtra = 1 << 20;
constexpr std::size_t kA = 0;
constexpr std::size_t kB = 1;
constexpr std::size_t kC = 2;

/// R and |A||B|, as the harness asks for them.
class GemmReference : public OperationReference {
 public:
  GemmReference(const Shape& shape, const GemmForm& form, const GemmTypes& types, const InputValues& values,
                const DoubleProduct& product)
      : c_(stored_c(shape, form)),
        type_(types.result),
        reference_(shape, form, values.distribution, values.seed, product, false, types) {}

  std::vector<Check> check(const Operands& operands, std::int64_t set) const override {
    std::vector<Check> checks = checked(operands, set % reference_.shape().m);
    if (c_.stride > c_.cols) checks.push_back(between_rows(operands.at(kC)));
    return checks;
  }

 private:
  std::vector<Check> checked(const Operands& operands, std::int64_t rotate) const {
    if (type_ == ElementType::kFloat32) return reference_.check(operands.in<float>(kC), rotate);
    if (type_ == ElementType::kInt32) return reference_.check(operands.in<std::int32_t>(kC), rotate);
    return reference_.check(widened(type_, operands.at(kC), c_).data(), rotate);
  }
  Check between_rows(const void* c) const {
    const std::int64_t written = first_written_between_rows(c, c_, bytes_of(type_));
    Check check;
    check.method = "padding-unchanged";
    check.verdict = written < 0 ? Verdict::kOk : Verdict::kIncorrect;
    if (written < 0) return check;
    check.worst_row = written / c_.stride;
    check.worst_col = written % c_.stride;
    return check;
  }

  StoredMatrix c_;
  ElementType type_;
  Reference reference_;
};

/// How an operand lies.
StoredMatrix stored(const Instance& instance, std::size_t operand) {
  const Shape shape = shape_of(instance);
  const GemmForm form = form_of(instance);
  if (operand == kA) return stored_a(shape, form);
  return operand == kB ? stored_b(shape, form) : stored_c(shape, form);
}

OptionSpec transpose(const char* name, const char* summary) {
  return {
      name, summary, {OptionValue(std::string("no")), OptionValue(std::string("yes"))}, std::string("no")};
}

OptionSpec type_option() {
  std::vector<OptionValue> choices;
  for (const ElementType type : {ElementType::kFloat32, ElementType::kBfloat16, ElementType::kFloat16,
                                 ElementType::kFloat8E4m3, ElementType::kFloat8E5m2, ElementType::kInt8}) {
    choices.emplace_back(to_string(type));
  }
  return {"type", "of the elements of A and B", choices, choices.front()};
}

OptionSpec result_option() {
  std::vector<OptionValue> choices{std::string(kSame)};
  for (const ElementType type :
       {ElementType::kFloat32, ElementType::kBfloat16, ElementType::kFloat16, ElementType::kInt32}) {
    choices.emplace_back(to_string(type));
  }
  return {"result", "of the elements of C: as those of A and B, or another", choices, choices.front()};
}

/// C = alpha·op(A)·op(B) + beta·C, by default C = A·B: op(A) (M, K), op(B) (K, N), C (M, N), row-major,
/// float32 unless `type` and `result` say otherwise.
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
    static const std::vector<OptionSpec> all = {
        transpose("transpose_a", "A is stored as (K, M)"),
        transpose("transpose_b", "B is stored as (N, K)"),
        {"alpha", "factor of the product", {}, 1.0},
        {"beta", "factor of C as it is before; with 0 it is not read", {}, 0.0},
        {"lda_extra", "elements between a stored row of A and the next", {}, std::int64_t{0}},
        {"ldb_extra", "the same of B", {}, std::int64_t{0}},
        {"ldc_extra", "the same of C", {}, std::int64_t{0}},
        type_option(),
        result_option()};
    return all;
  }
  std::vector<OperandSpec> operands(const Instance& instance) const override {
    const Direction of_c = form_of(instance).beta == 0 ? Direction::kOut : Direction::kInOut;
    const GemmTypes types = types_of(instance);
    return {{"A", Direction::kIn, types.type}, {"B", Direction::kIn, types.type}, {"C", of_c, types.result}};
  }
  std::vector<std::int64_t> dims_of_size(std::int64_t size) const override { return {size, size, size}; }

  std::int64_t count(const Instance& instance, std::size_t operand) const override {
    return span(stored(instance, operand));
  }
  double operation_count(const Instance& instance) const override { return shape_of(instance).flop(); }
  /// Factors are not counted: 2·M·N·K, as everywhere. C is read once where beta is not 0.
  double least_bytes(const Instance& instance) const override {
    const Shape shape = shape_of(instance);
    const GemmTypes types = types_of(instance);
    const double times_c = form_of(instance).beta == 0 ? 1 : 2;
    return static_cast<double>(bytes_of(types.type)) *
               static_cast<double>(shape.a_count() + shape.b_count()) +
           static_cast<double>(bytes_of(types.result)) * times_c * static_cast<double>(shape.c_count());
  }
  std::vector<Rate> rates(const Instance& instance) const override {
    const double amount = shape_of(instance).flop() * 1e-9;
    if (is_integer(types_of(instance).type)) return {{"gop_per_s", "GOP/s", amount}};
    return {{"gflop_per_s", "GFLOP/s", amount}};
  }
  std::string why_not(const Instance& instance) const override {
    for (const char* name : {"lda_extra", "ldb_extra", "ldc_extra"}) {
      const auto extra = std::get<std::int64_t>(instance.option(name));
      if (extra >= 0 && extra <= kMostExtra) continue;
      return "'" + std::string(name) + "' is " + std::to_string(extra) + "; allowed: 0 to " +
             std::to_string(kMostExtra);
    }
    if (std::string reason = wrong_factor(instance); !reason.empty()) return reason;
    return wrong_types(instance);
  }

  /// Set s is the base with A's rows rotated by s, so that one reference serves all; B is the same in every
  /// set.
  void fill(const Instance& instance, std::size_t operand, const InputValues& values, std::int64_t set,
            void* host_to) const override {
    const Shape shape = shape_of(instance);
    const GemmForm form = form_of(instance);
    constexpr Operand kOperands[] = {Operand::kA, Operand::kB, Operand::kC};
    const bool transposed = (operand == kA && form.transpose_a) || (operand == kB && form.transpose_b);
    const GemmTypes types = types_of(instance);
    fill_stored(host_to, stored(instance, operand), transposed,
                {values.distribution, values.seed, kOperands[operand],
                 integer_limit(types, values.distribution, integer_limit(shape, form)),
                 operand == kB ? 0 : set % shape.m, operand == kC ? types.result : types.type});
  }
  bool differs_by_set(std::size_t operand) const override { return operand != kB; }
  Check unchanged(const Instance& instance, const Operands& operands, const InputValues& values,
                  std::int64_t set) const override {
    const Shape shape = shape_of(instance);
    if (!is_plain(shape, form_of(instance)) || !types_of(instance).plain())
      return Operation::unchanged(instance, operands, values, set);
    return check_inputs_unchanged(operands.in<float>(kA), operands.in<float>(kB), shape, values.distribution,
                                  values.seed, set % shape.m, integer_limit(shape.k));
  }
  /// The first rows of A and C: the same B, the same strides.
  std::optional<Instance> part(const Instance& instance, double share) const override {
    Instance rows = instance;
    const std::int64_t m = instance.dims.at(0);
    rows.dims[0] = std::clamp<std::int64_t>(std::llround(share * static_cast<double>(m)), 1, m);
    // of A's columns, where it is transposed, fewer are used
    if (form_of(instance).transpose_a) {
      const auto extra = std::get<std::int64_t>(instance.option("lda_extra"));
      rows.options["lda_extra"] = extra + m - rows.dims[0];
    }
    return rows;
  }
  std::unique_ptr<OperationReference> reference(const Instance& instance, const InputValues& values,
                                                const DoubleProduct& product) const override {
    return std::make_unique<GemmReference>(shape_of(instance), form_of(instance), types_of(instance), values,
                                           product);
  }

  /// 1, primes, a tile less one, a tile, a tile and one more, and M ≠ N ≠ K.
  std::vector<std::vector<std::int64_t>> odd_dimensions() const override {
    std::vector<std::vector<std::int64_t>> shapes{
        {1, 1, 1},       {1, 257, 64},   {257, 1, 33},    {64, 64, 1},    {2, 3, 5},       {13, 11, 7},
        {31, 37, 29},    {5, 3, 1000},   {33, 65, 17},    {129, 63, 31},  {100, 260, 140}, {16, 1024, 512},
        {1024, 16, 512}, {200, 130, 24}, {255, 257, 256}, {521, 509, 263}};
    for (std::int64_t tile : {4, 8, 16, 32, 64, 128}) {
      for (std::int64_t size : {tile - 1, tile, tile + 1}) shapes.push_back({size, size, size});
    }
    return shapes;
  }
  /// Every type, to every result.
  std::vector<Options> odd_options() const override {
    std::vector<Options> all;
    for (const OptionValue& type : type_option().choices) {
      for (const OptionValue& result : result_option().choices) {
        Instance small = gemm_at({1, 1, 1});
        small.options["type"] = type;
        small.options["result"] = result;
        if (!types_of(small).plain() && wrong_types(small).empty()) all.push_back(small.given_options());
      }
    }
    return all;
  }
};

}  // namespace

const Operation& gemm() {
  static const Gemm operation;
  return operation;
}

}  // namespace gemmlab
