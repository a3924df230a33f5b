// C = alpha·op(A)·op(B) + beta·C for each of a batch of products.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "operations/batched_gemm/batched_gemm.h"
#include "operations/described_operation.h"
#include "operations/gemm/implementation.h"
#include "operations/gemm/reference.h"
#include "operations/gemm/stored_matrix.h"

namespace gemmlab {
namespace {

constexpr std::size_t kA = 0;
constexpr std::size_t kB = 1;
constexpr std::size_t kC = 2;
constexpr const char* kNo = "no";
constexpr const char* kYes = "yes";

/// Every product has numbers of its own. Products with one B for all are filled and checked as the one product that they
/// are: see merged().
std::uint64_t seed_of(const InputValues& values, std::int64_t product) {
  return values.seed + 0x9E3779B9u * static_cast<std::uint64_t>(product);
}

/// The worst of the products' checks, method by method. Rows are counted on from product to product.
class BatchReference : public OperationReference {
 public:
  BatchReference(const GemmBatch& batch, const InputValues& values, const DoubleProduct& product)
      : batch_(batch) {
    for (std::int64_t i = 0; i < batch.count; ++i)
      of_.emplace_back(batch.shape, batch.form, values.distribution, seed_of(values, i), product);
  }

  std::vector<Check> check(const Operands& operands, std::int64_t set) const override {
    std::vector<Check> worst;
    for (std::int64_t i = 0; i < batch_.count; ++i) {
      const float* c = operands.in<float>(kC) + i * batch_.stride_c;
      std::vector<Check> checks = of_[static_cast<std::size_t>(i)].check(c, set % batch_.shape.m);
      for (std::size_t method = 0; method < checks.size(); ++method) {
        Check& one = checks[method];
        if (one.worst_row >= 0) one.worst_row += i * batch_.shape.m;
        if (worst.size() <= method) {
          worst.push_back(one);
        } else if (is_worse(one, worst[method])) {
          worst[method] = one;
        }
      }
    }
    return worst;
  }

 private:
  static bool is_worse(const Check& one, const Check& other) {
    const bool bad = one.verdict == Verdict::kIncorrect;
    if (bad != (other.verdict == Verdict::kIncorrect)) return bad;
    return std::max(one.eta_max, one.residual) > std::max(other.eta_max, other.residual);
  }

  GemmBatch batch_;
  std::vector<Reference> of_;
};

class BatchedGemm : public DescribedOperation {
 public:
  BatchedGemm()
      : DescribedOperation(
            "batched_gemm",
            {{"batch", "products", 1, 1 << 16},
             {"m", "rows of each A and C", 1, 1 << 16},
             {"n", "columns of each B and C", 1, 1 << 16},
             {"k", "columns of each A, rows of each B", 1, 1 << 16}},
            {yes_or_no("transpose_a", "each A is stored as (K, M)"),
             yes_or_no("transpose_b", "each B is stored as (N, K)"),
             yes_or_no("shared_b",
                       "there is one B, for all products; A stored as (K, M) then lie side by side"),
             {"alpha", "factor of the products", {}, 1.0},
             {"beta", "factor of each C as it is before; with 0 it is not read", {}, 0.0}},
            {{"A", Direction::kIn, ElementType::kFloat32},
             {"B", Direction::kIn, ElementType::kFloat32},
             {"C", Direction::kOut, ElementType::kFloat32}}) {}

  std::string title() const override { return "a batch of C = A·B, float32"; }
  std::vector<std::int64_t> dims_of_size(std::int64_t size) const override { return {8, size, size, size}; }

  std::vector<OperandSpec> operands(const Instance& instance) const override {
    std::vector<OperandSpec> all = DescribedOperation::operands(instance);
    if (batch_of(instance).form.beta != 0) all[kC].direction = Direction::kInOut;
    return all;
  }
  std::int64_t count(const Instance& instance, std::size_t operand) const override {
    const GemmBatch batch = batch_of(instance);
    const std::int64_t one = of_one(batch.shape, operand);
    return operand == kB && batch.stride_b == 0 ? one : one * batch.count;
  }
  double operation_count(const Instance& instance) const override {
    const GemmBatch batch = batch_of(instance);
    return static_cast<double>(batch.count) * batch.shape.flop();
  }
  std::vector<Rate> rates(const Instance& instance) const override {
    return {{"gflop_per_s", "GFLOP/s", operation_count(instance) * 1e-9}};
  }
  std::string why_not(const Instance& instance) const override { return wrong_factor(instance); }

  /// As gemm's, product by product: set s is the base with the rows of each A rotated by s.
  void fill(const Instance& instance, std::size_t operand, const InputValues& values, std::int64_t set,
            void* host_to) const override {
    const GemmBatch batch = merged(batch_of(instance));
    const Shape& shape = batch.shape;
    const GemmForm& form = batch.form;
    constexpr Operand kOperands[] = {Operand::kA, Operand::kB, Operand::kC};
    const StoredMatrix stored = operand == kA
                                    ? stored_a(shape, form)
                                    : (operand == kB ? stored_b(shape, form) : stored_c(shape, form));
    const bool transposed = (operand == kA && form.transpose_a) || (operand == kB && form.transpose_b);
    const std::int64_t one = of_one(shape, operand);
    const std::int64_t filled = count(instance, operand) / one;
    for (std::int64_t i = 0; i < filled; ++i) {
      fill_stored(static_cast<float*>(host_to) + i * one, stored, transposed,
                  {values.distribution, seed_of(values, i), kOperands[operand], integer_limit(shape, form),
                   operand == kB ? 0 : set % shape.m});
    }
  }
  bool differs_by_set(std::size_t operand) const override { return operand != kB; }
  /// The first products.
  std::optional<Instance> part(const Instance& instance, double share) const override {
    Instance fewer = instance;
    const std::int64_t all = instance.dims.at(0);
    fewer.dims[0] = std::clamp<std::int64_t>(std::llround(share * static_cast<double>(all)), 1, all);
    return fewer;
  }
  std::unique_ptr<OperationReference> reference(const Instance& instance, const InputValues& values,
                                                const DoubleProduct& product) const override {
    return std::make_unique<BatchReference>(merged(batch_of(instance)), values, product);
  }
  std::vector<std::vector<std::int64_t>> odd_dimensions() const override {
    return {{1, 1, 1, 1},    {3, 5, 7, 9},      {2, 33, 65, 17}, {5, 64, 64, 64},
            {7, 31, 129, 3}, {2, 130, 100, 40}, {4, 1, 50, 20},  {3, 128, 36, 1}};
  }

 private:
  static OptionSpec yes_or_no(const char* name, const char* summary) {
    return {name, summary, {OptionValue(std::string(kNo)), OptionValue(std::string(kYes))}, std::string(kNo)};
  }
  static std::int64_t of_one(const Shape& shape, std::size_t operand) {
    if (operand == kA) return shape.a_count();
    return operand == kB ? shape.b_count() : shape.c_count();
  }
};

}  // namespace

GemmBatch batch_of(const Instance& instance) {
  const auto yes = [&](const char* name) { return text_option(instance, name) == kYes; };
  GemmBatch batch;
  batch.count = instance.dims.at(0);
  batch.shape = {instance.dims.at(1), instance.dims.at(2), instance.dims.at(3)};
  batch.form = form_of(batch.shape, yes("transpose_a"), yes("transpose_b"));
  batch.form.alpha = static_cast<float>(std::get<double>(instance.option("alpha")));
  batch.form.beta = static_cast<float>(std::get<double>(instance.option("beta")));
  batch.stride_a = batch.shape.a_count();
  batch.stride_b = yes("shared_b") ? 0 : batch.shape.b_count();
  batch.stride_c = batch.shape.c_count();
  if (batch.stride_b == 0 && batch.form.transpose_a) {
    batch.form.lda = batch.count * batch.shape.m;
    batch.stride_a = batch.shape.m;
  }
  return batch;
}

const Operation& batched_gemm() {
  static const BatchedGemm operation;
  return operation;
}

}  // namespace gemmlab
