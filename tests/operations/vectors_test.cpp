// dot, axpy, triad and gemv: what their references accept and refuse.

#include "operations/vectors.h"

#include "tests/operations.h"

namespace gemmlab {
const Operation& dot();
const Operation& axpy();
const Operation& triad();
const Operation& gemv();

namespace {

using test::HostOperands;
using test::option_choices;

/// The operation as its definition says, in double.
void compute(HostOperands& host, const Instance& instance) {
  const std::string& name = instance.operation->name();
  if (name == "gemv") {
    const bool transposed = std::get<std::int64_t>(instance.option("transpose_a")) != 0;
    const std::int64_t n = instance.dims[1];
    for (std::int64_t i = 0; i < host.count(2); ++i) {
      double sum = 0;
      for (std::int64_t k = 0; k < host.count(1); ++k) {
        sum += static_cast<double>(host.data(0)[transposed ? k * n + i : i * n + k]) * host.data(1)[k];
      }
      host.data(2)[i] = static_cast<float>(sum);
    }
    return;
  }
  double sum = 0;
  for (std::int64_t i = 0; i < instance.dims[0]; ++i) {
    if (name == "dot") sum += static_cast<double>(host.data(0)[i]) * host.data(1)[i];
    if (name == "axpy") host.data(1)[i] += factor(instance, "alpha") * host.data(0)[i];
    if (name == "triad") host.data(2)[i] = host.data(0)[i] + factor(instance, "scalar") * host.data(1)[i];
  }
  if (name == "dot") *host.data(2) = static_cast<float>(sum);
}

std::vector<Instance> instances() {
  std::vector<Instance> all;
  for (const Operation* operation : {&dot(), &axpy(), &triad()}) {
    for (const std::int64_t n : {1, 3, 33, 4097}) all.push_back(instance_of(*operation, {n}));
  }
  for (const Options& options : option_choices(gemv())) {
    for (const auto& dims :
         {std::vector<std::int64_t>{1, 1}, {5, 33}, {33, 5}, {1, 1025}, {1025, 1}, {130, 1100}}) {
      all.push_back(instance_of(gemv(), dims, options));
    }
  }
  return all;
}

/// The operand that a call writes.
std::size_t output_of(const Instance& instance) {
  return instance.operation->name() == "axpy" ? 1 : 2;
}

TEST(VectorReference, accepts_what_the_definition_says_for_every_set) {
  for (const Instance& instance : instances()) {
    const auto run = [&](HostOperands& host) { compute(host, instance); };
    test::expect_right(instance, run, 0, instance.operation->name());
    if (HasFatalFailure()) return;
  }
}

TEST(VectorReference, finds_one_wrong_element_anywhere) {
  for (const Instance& instance : instances()) {
    for (const Distribution distribution : {Distribution::kInteger, Distribution::kUniform}) {
      const InputValues values{distribution, 7};
      const auto reference = instance.operation->reference(instance, values, plain_double_product);
      HostOperands host(instance, 0);
      host.fill(values, 2);
      compute(host, instance);
      const std::size_t output = output_of(instance);
      for (const std::int64_t at : {std::int64_t{0}, host.count(output) / 2, host.count(output) - 1}) {
        float& element = host.data(output)[at];
        const float right = element;
        for (const float wrong : {right + 1, std::nanf(""), right == 0 ? 1.0F : right * 1.01F + 0.01F}) {
          element = wrong;
          const auto checks = reference->check(host.operands(), 2);
          EXPECT_EQ(overall(checks), Verdict::kIncorrect)
              << test::named(instance, instance.operation->name()) << " at " << at << ": " << wrong;
        }
        element = right;
      }
      EXPECT_EQ(overall(reference->check(host.operands(), 2)), Verdict::kOk);
    }
  }
}

TEST(VectorReference, finds_a_result_of_another_set_where_sets_differ_in_it) {
  for (const Instance& instance : instances()) {
    const bool same =
        instance.operation->name() == "dot" || instance.dims[0] == 1 ||
        (instance.operation->name() == "gemv" && std::get<std::int64_t>(instance.option("transpose_a")) != 0);
    const InputValues values{Distribution::kUniform, 7};
    const auto reference = instance.operation->reference(instance, values, plain_double_product);
    HostOperands host(instance, 0);
    host.fill(values, 1);
    compute(host, instance);
    const Verdict verdict = overall(reference->check(host.operands(), 2));
    EXPECT_EQ(verdict == Verdict::kOk, same) << test::named(instance, instance.operation->name());
  }
}

TEST(VectorReference, bounds_the_sum_by_its_terms_and_not_by_its_result) {
  const Instance instance = instance_of(dot(), {1 << 16});
  const InputValues values{Distribution::kUniform, 3};
  const auto reference = dot().reference(instance, values, plain_double_product);
  HostOperands host(instance, 0);
  host.fill(values, 0);
  compute(host, instance);
  // a sum of 2^16 terms of mean magnitude 1/4: sixteen times 2^-24 of their sum
  const float right = *host.data(2);
  const float unit = 16384.0F / (1 << 24);
  *host.data(2) = right + 12 * unit;
  EXPECT_EQ(overall(reference->check(host.operands(), 0)), Verdict::kOk);
  *host.data(2) = right + 20 * unit;
  EXPECT_NE(overall(reference->check(host.operands(), 0)), Verdict::kOk);
}

TEST(VectorOperation, counts_what_moves_and_what_is_computed) {
  const double n = 1000;
  const auto bytes = [](const Operation& operation) {
    return operation.least_bytes(instance_of(operation, {1000}));
  };
  EXPECT_EQ(bytes(dot()), 4 * (2 * n + 1));
  EXPECT_EQ(bytes(axpy()), 4 * 3 * n);
  EXPECT_EQ(bytes(triad()), 4 * 3 * n);
  const Instance product = instance_of(gemv(), {30, 70}, {{"transpose_a", std::int64_t{1}}});
  EXPECT_EQ(gemv().least_bytes(product), 4.0 * (30 * 70 + 30 + 70));
  EXPECT_EQ(gemv().count(product, 1), 30);
  EXPECT_EQ(gemv().count(product, 2), 70);
  EXPECT_EQ(gemv().operation_count(product), 2.0 * 30 * 70);
  EXPECT_EQ(dot().rates(instance_of(dot(), {1000})).at(0).name, "gbyte_per_s");
  ASSERT_EQ(memory_rates(8e9, 0).size(), 1u) << "of an operation that only moves there is no rate of 0";
  EXPECT_EQ(memory_rates(8e9, 0)[0].name, "gbyte_per_s");
}

TEST(VectorOperation, refuses_what_is_no_instance) {
  EXPECT_THROW(instance_of(dot(), {0}), std::invalid_argument);
  EXPECT_THROW(instance_of(dot(), {3, 3}), std::invalid_argument);
  EXPECT_THROW(instance_of(gemv(), {3, 3}, {{"transpose_a", std::int64_t{2}}}), std::invalid_argument);
  EXPECT_THROW(instance_of(axpy(), {3}, {{"alpha", std::nan("")}}), std::invalid_argument);
  EXPECT_EQ(gemv().why_not(instance_of(gemv(), {3, 3})), "");
}

TEST(VectorOperation, has_parts_of_its_work) {
  EXPECT_EQ(dot().part(instance_of(dot(), {1000}), 0.25)->dims, (std::vector<std::int64_t>{250}));
  EXPECT_EQ(dot().part(instance_of(dot(), {1000}), 1e-9)->dims, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(gemv().part(instance_of(gemv(), {1000, 7}), 0.5)->dims, (std::vector<std::int64_t>{500, 7}));
}

TEST(VectorOperation, checks_a_factor_that_is_not_exact_in_few_bits_by_the_bound) {
  const Instance instance = instance_of(axpy(), {100}, {{"alpha", 0.1}});
  const auto reference = axpy().reference(instance, {Distribution::kInteger, 7}, plain_double_product);
  HostOperands host(instance, 0);
  host.fill({Distribution::kInteger, 7}, 0);
  compute(host, instance);
  const auto checks = reference->check(host.operands(), 0);
  EXPECT_EQ(checks.at(0).method, "bound");
  EXPECT_EQ(overall(checks), Verdict::kOk);
}

}  // namespace
}  // namespace gemmlab
