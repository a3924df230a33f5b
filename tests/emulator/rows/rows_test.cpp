// Every row of gpu/ that can be emulated, with every choice of its parameters, at the suite's odd shapes: right, and
// nothing found.

#include <algorithm>
#include <cctype>
#include <ostream>

#include "cpu/table.h"
#include "runner/commands/emulated.h"
#include "tests/operation_case.h"
#include "tests/operations.h"

namespace gemmlab::emulation {
namespace {

/// Eight shapes of gemm have more operations, and 98 of 100 of all: they are left to the defaults of the parameters.
constexpr double kLong = 2e6;

struct Choice {
  const Implementation* row;
  Parameters parameters;
};

std::vector<Choice> every_choice() {
  std::vector<Choice> choices;
  for (const Implementation* row : emulated_rows()) {
    if (row->description().find("gpus") != nullptr) continue;  // multi_test.cpp has them, on several cards
    for (const Parameters& parameters : choices_to_emulate(row->description()))
      choices.push_back({row, parameters});
  }
  return choices;
}

std::string letters_of(const Choice& choice) {
  std::string name = choice.row->description().id.substr(std::string("gpu.").size());
  for (const auto& [parameter, value] : choice.parameters) name += "_" + parameter + "_" + to_string(value);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

// without this GoogleTest prints the bytes of the pointers, and a test has another name in each process
void PrintTo(const Choice& choice, std::ostream* stream) {
  *stream << letters_of(choice);
}

class EmulatedRow : public ::testing::TestWithParam<Choice> {
 protected:
  static void expect_right(const Instance& instance) {
    SCOPED_TRACE(to_string(instance));
    const Choice& choice = GetParam();
    if (!choice.row->why_not(instance, choice.parameters).empty()) return;
    static const DoubleProduct product = cpu::double_product();
    // the larger bound of what declares less than float32 asks for exactness beside it
    const bool exact = as_accurate_as_fp32(choice.row->precision(instance));
    std::vector<Check> checks;
    for (const Distribution distribution : {Distribution::kInteger, Distribution::kUniform}) {
      if (exact && distribution == Distribution::kInteger) continue;
      OperationCase one(instance, product, distribution);
      one.fill(0);
      try {
        choice.row->prepare(instance, choice.parameters)->run(one.operands());
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
        return;
      }
      const std::vector<Check> more = one.checks(0);
      checks.insert(checks.end(), more.begin(), more.end());
    }
    const Verdict verdict = overall(checks);
    EXPECT_TRUE(verdict == Verdict::kOk || verdict == Verdict::kUncertified ||
                (!exact && verdict == Verdict::kReducedPrecision))
        << to_string(verdict);
  }
  static const Operation& operation() { return *find_operation(GetParam().row->description().operation); }
};

TEST_P(EmulatedRow, is_right_at_the_odd_shapes_and_nothing_is_found) {
  const bool usual = GetParam().parameters == complete(GetParam().row->description(), {});
  for (const std::vector<std::int64_t>& dims : operation().odd_dimensions()) {
    const Instance instance = instance_of(operation(), dims);
    if (usual || operation().operation_count(instance) < kLong) expect_right(instance);
  }
}

TEST_P(EmulatedRow, is_right_with_every_option_of_the_operation_that_it_takes) {
  for (const Options& options : test::option_choices(operation()))
    expect_right(instance_of(operation(), operation().dims_of_size(37), options));
}

/// Rows of other types than float32: edges of tiles, more than one tile, and fewer terms than a step.
TEST_P(EmulatedRow, is_right_in_its_own_types_at_edges_of_its_tiles) {
  if (GetParam()
          .row->why_not(instance_of(operation(), operation().dims_of_size(1)), GetParam().parameters)
          .empty())
    return;
  if (GetParam().parameters != complete(GetParam().row->description(), {}))
    return;  // of all its kernels 37 is left to them
  const std::vector<std::vector<std::int64_t>> shapes = {{1, 40, 72}, {67, 31, 129}, {130, 16, 8}};
  for (const Options& options : test::option_choices(operation())) {
    for (const std::vector<std::int64_t>& dims : shapes) {
      if (operation().odd_dimensions().front().size() == dims.size())
        expect_right(instance_of(operation(), dims, options));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, EmulatedRow, ::testing::ValuesIn(every_choice()),
                         [](const auto& choice) { return letters_of(choice.param); });

TEST(EmulatedRows, are_most_of_the_ladder) {
  EXPECT_EQ(unavailable(), "");
  EXPECT_GE(of_operation(emulated_rows(), "gemm").size(), 23u);
  for (const auto& [id, reason] : left_out()) EXPECT_NE(reason, "") << id;
}

}  // namespace
}  // namespace gemmlab::emulation
