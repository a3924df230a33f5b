// The rungs that multiply in their operands' types: those on tiles by an emulation of the matrix unit, their own sources compiled with
// emulated_tiles.h, and that on vectors where the machine has its instructions.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "cpu/gemm/matrix/unit.h"
#include "cpu/gemm/typed/row.h"
#include "operations/gemm/implementation.h"
#include "tests/operations.h"

namespace gemmlab::cpu {

namespace emulated_tiles {
extern const TypedMethod tiles_unpacked;
extern const TypedMethod tiles_packed;
extern const TypedMethod tiles_2x2;
extern const TypedMethod tiles_blocked;
}  // namespace emulated_tiles
namespace avx512 {
extern const TypedMethod dot_pairs;
}

namespace {

struct Rung {
  const TypedMethod* method;
  MissingFor missing;
  bool takes_float16;
};

std::string nothing_missing(ElementType) {
  return {};
}

const std::vector<Rung> kRungs = {{&avx512::dot_pairs, dots_missing, false},
                                  {&emulated_tiles::tiles_unpacked, nothing_missing, true},
                                  {&emulated_tiles::tiles_packed, nothing_missing, true},
                                  {&emulated_tiles::tiles_2x2, nothing_missing, true},
                                  {&emulated_tiles::tiles_blocked, nothing_missing, true}};

OptionValue word(const char* text) {
  return OptionValue(std::string(text));
}

class TypedRows : public testing::TestWithParam<std::size_t> {
 protected:
  TypedRows() : rung_(kRungs[GetParam()]), row_(*rung_.method, rung_.missing, rung_.takes_float16) {}

  /// Every pair of types that the rung takes and the machine has, each with `more`.
  std::vector<Options> types(const Options& more = {}) const {
    std::vector<Options> all;
    for (Options options : gemm().odd_options()) {
      const Instance smallest = instance_of(gemm(), {1, 1, 1}, options);
      if (!row_.meant_for(smallest) || !row_.why_not(smallest, parameters(1)).empty()) continue;
      if (types_of(smallest).type == ElementType::kInt8 &&
          (more.count("alpha") != 0 || more.count("beta") != 0))
        continue;
      options.insert(more.begin(), more.end());
      all.push_back(options);
    }
    return all;
  }
  Parameters parameters(std::int64_t threads) const {
    return complete(row_.description(), {{"threads", threads}});
  }
  void expect_right(const std::vector<std::int64_t>& dims, const Options& options, std::int64_t threads,
                    std::int64_t offset = 0) const {
    const Instance instance = instance_of(gemm(), dims, options);
    ASSERT_EQ(row_.why_not(instance, parameters(threads)), "");
    const auto session = row_.prepare(instance, parameters(threads));
    std::string what = row_.description().id;
    for (const auto& [name, value] : options) what += " " + name + "=" + to_string(value);
    test::expect_right(
        instance, [&](test::HostOperands& host) { session->run(host.operands()); }, offset, what);
  }

  Rung rung_;
  TypedRow row_;
};

/// What multiplies, where the machine has the instructions.
class TypedRungs : public TypedRows {
 protected:
  void SetUp() override {
    if (const std::string reason = row_.unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_P(TypedRungs, are_right_at_odd_shapes) {
  for (const Options& options : types()) {
    for (const auto& dims : gemm().odd_dimensions()) {
      if (dims[0] * dims[1] * dims[2] > 1'000'000) continue;
      expect_right(dims, options, 2);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(TypedRungs, are_right_in_every_form) {
  const std::vector<std::vector<std::int64_t>> shapes = {{1, 1, 1}, {2, 3, 5}, {33, 65, 17}, {50, 47, 131}};
  for (const char* transpose_a : {"no", "yes"}) {
    for (const char* transpose_b : {"no", "yes"}) {
      const Options transposes = {{"transpose_a", word(transpose_a)}, {"transpose_b", word(transpose_b)}};
      Options strided = transposes;
      strided.insert(
          {{"lda_extra", std::int64_t{3}}, {"ldb_extra", std::int64_t{5}}, {"ldc_extra", std::int64_t{1}}});
      Options scaled = strided;
      scaled.insert({{"alpha", -3.0}, {"beta", 2.0}});
      for (const Options& more : {transposes, strided, scaled}) {
        for (const Options& options : types(more)) {
          for (const auto& dims : shapes) expect_right(dims, options, 1);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// Several blocks of falling size, several stretches of terms, the last of each cut off.
TEST_P(TypedRungs, are_right_over_several_blocks_on_any_number_of_threads) {
  for (const Options& options : types()) {
    for (const std::int64_t threads : {1, 8}) {
      expect_right({67, 290, 709}, options, threads, 1);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(TypedRungs, read_neither_a_nor_b_where_alpha_is_0) {
  for (const Options& options : types({{"alpha", 0.0}, {"beta", 2.0}})) {
    const Instance instance = instance_of(gemm(), {20, 40, 70}, options);
    test::HostOperands host(instance, 0);
    host.fill({Distribution::kInteger, 1}, 0);
    const auto count = static_cast<std::size_t>(gemm().count(instance, 2));
    const ElementType type = types_of(instance).result;
    std::vector<float> before(count);
    std::vector<float> after(count);
    widen(type, host.data(2), static_cast<std::int64_t>(count), before.data());
    for (const std::size_t operand : {0U, 1U})
      std::fill_n(host.data(operand), host.count(operand), std::numeric_limits<float>::quiet_NaN());
    row_.prepare(instance, parameters(1))->run(host.operands());
    widen(type, host.data(2), static_cast<std::int64_t>(count), after.data());
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(after[i], 2 * before[i]) << row_.description().id;
  }
}

TEST_P(TypedRungs, carry_a_nan_to_its_row_alone) {
  for (const Options& options : types()) {
    const Instance instance = instance_of(gemm(), {40, 35, 50}, options);
    const GemmTypes of = types_of(instance);
    if (is_integer(of.type)) continue;
    test::HostOperands host(instance, 0);
    host.fill({Distribution::kUniform, 1}, 0);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    narrow(of.type, &nan, 1, reinterpret_cast<char*>(host.data(0)) + 17 * 50 * bytes_of(of.type));
    row_.prepare(instance, parameters(1))->run(host.operands());
    std::vector<float> c(40 * 35);
    widen(of.result, host.data(2), 40 * 35, c.data());
    for (std::size_t at = 0; at < c.size(); ++at)
      ASSERT_EQ(std::isnan(c[at]), at / 35 == 17) << row_.description().id << " " << at;
  }
}

TEST_P(TypedRows, refuse_other_types_and_say_which_they_take) {
  const auto why_not = [&](const Options& options) {
    return row_.why_not(instance_of(gemm(), {4, 4, 4}, options), parameters(1));
  };
  EXPECT_NE(why_not({}).find("multiplies bfloat16"), std::string::npos);
  EXPECT_NE(why_not({{"type", word("float8_e4m3")}, {"result", word("float32")}}).find("float8_e4m3"),
            std::string::npos);
  EXPECT_EQ(why_not({{"type", word("float16")}}).empty(), rung_.takes_float16);
  EXPECT_FALSE(row_.meant_for(gemm_at({4, 4, 4})));
}

std::string id_of(const testing::TestParamInfo<std::size_t>& rung) {
  std::string id = kRungs[rung.param].method->id;
  std::replace(id.begin(), id.end(), '.', '_');
  return id;
}
INSTANTIATE_TEST_SUITE_P(Rungs, TypedRungs, testing::Range<std::size_t>(0, kRungs.size()), id_of);
INSTANTIATE_TEST_SUITE_P(Rungs, TypedRows, testing::Range<std::size_t>(0, kRungs.size()), id_of);

TEST(TypedRungsMissing, a_machine_without_the_unit_says_so) {
  if (matrix_unit_missing().empty()) GTEST_SKIP() << "this machine has it";
  for (const ElementType type : {ElementType::kBfloat16, ElementType::kFloat16, ElementType::kInt8})
    EXPECT_EQ(tiles_missing(type), matrix_unit_missing());
}

}  // namespace
}  // namespace gemmlab::cpu
