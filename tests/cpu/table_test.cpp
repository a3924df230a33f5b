#include "cpu/table.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "operations/gemm/implementation.h"
#include "tests/gemm_forms.h"

namespace gemmlab::cpu {
namespace {

TEST(CpuTable, ids_are_unique_and_name_the_device) {
  std::set<std::string> ids;
  for (const Implementation* implementation : implementations()) {
    const Description& description = implementation->description();
    EXPECT_EQ(description.id.rfind("cpu.", 0), 0U) << description.id;
    EXPECT_GT(description.id.size(), 4U);
    EXPECT_TRUE(ids.insert(description.id).second) << description.id << " is there twice";
    EXPECT_EQ(description.device, Device::kCpu) << description.id;
    EXPECT_TRUE(as_accurate_as_fp32(description.precision)) << description.id;
  }
  EXPECT_FALSE(ids.empty());
}

TEST(CpuTable, every_row_says_what_it_is_and_where_it_comes_from) {
  for (const Implementation* implementation : implementations()) {
    const Description& description = implementation->description();
    EXPECT_FALSE(description.summary.empty()) << description.id;
    EXPECT_EQ(description.summary.find('\n'), std::string::npos) << description.id;
    EXPECT_FALSE(description.source.empty()) << description.id;
    EXPECT_TRUE(description.counterpart.empty() || description.counterpart.rfind("gpu.", 0) == 0)
        << description.id;
  }
}

TEST(CpuTable, defaults_are_allowed_and_complete_gives_them) {
  for (const Implementation* implementation : implementations()) {
    const Description& description = implementation->description();
    std::set<std::string> names;
    for (const ParameterSpec& spec : description.parameters) {
      EXPECT_TRUE(names.insert(spec.name).second) << description.id << " " << spec.name;
      EXPECT_FALSE(spec.summary.empty()) << description.id << " " << spec.name;
      EXPECT_TRUE(spec.allows(spec.default_value)) << description.id << " " << spec.name;
    }
    EXPECT_EQ(complete(description, {}).size(), description.parameters.size()) << description.id;
  }
}

TEST(CpuTable, loops_say_what_they_move_and_libraries_do_not) {
  const Shape shape{100, 200, 300};
  std::map<std::string, double> moved;
  for (const Implementation* implementation : of_operation(implementations(), "gemm")) {
    const Description& description = implementation->description();
    const Parameters parameters = complete(description, {});
    moved[description.id] = implementation->moved_bytes(gemm_at(shape), parameters);
    EXPECT_TRUE(!description.reference || moved[description.id] == 0) << description.id;
    if (description.id != "cpu.blocked" && description.id != "cpu.blocked_packed") continue;
    // blocks of 256 hold all of m and n, and k in two; blocks of 64 make two, four and five of m, n and k
    const auto at = [&](std::int64_t block) {
      return implementation->moved_bytes(gemm_at(shape), complete(description, {{"block", block}}));
    };
    EXPECT_EQ(at(256), 4.0 * (100 * 300 + 300 * 200 + 100 * 200 * 5)) << description.id;
    // a copied block of B meets all rows before it goes
    const double reads_of_b = description.id == "cpu.blocked_packed" ? 1 : 2;
    EXPECT_EQ(at(64), 4.0 * (100 * 300 * 4 + 300 * 200 * reads_of_b + 100 * 200 * 11)) << description.id;
  }
  EXPECT_EQ(moved["cpu.serial"], 4.0 * (100 * 300 + 100 * 200 * 300 + 100 * 200));
  EXPECT_EQ(moved["cpu.openmp"], moved["cpu.serial"]);
  EXPECT_EQ(moved["cpu.ikj"], moved["cpu.serial"]);
  EXPECT_LT(moved["cpu.blocked"], moved["cpu.ikj"]);
  EXPECT_GE(moved["cpu.blocked"], shape.least_bytes());
  EXPECT_LT(moved["cpu.blocked_packed"], moved["cpu.blocked"]);
  EXPECT_LT(moved["cpu.register_blocked"], moved["cpu.ikj"]);
  EXPECT_GE(moved["cpu.register_blocked"], shape.least_bytes());
  EXPECT_EQ(moved["cpu.eigen"], 0);
}

TEST(CpuTable, plain_loops_come_before_references) {
  bool reference_seen = false;
  for (const Implementation* implementation : of_operation(implementations(), "gemm")) {
    if (implementation->description().reference) reference_seen = true;
    EXPECT_EQ(implementation->description().reference, reference_seen) << implementation->description().id;
  }
}

TEST(CpuTable, shapes_without_elements_are_refused_with_the_reason) {
  for (const Implementation* row : of_operation(implementations(), "gemm")) {
    const Parameters parameters = complete(row->description(), {});
    const std::string refusal = row->why_not(taken_at(*row, {1, 1, 1}), parameters);
    // a library may have no other type on this processor
    if (!refusal.empty() && row->description().reference && !row->meant_for(gemm_at({1, 1, 1}))) continue;
    EXPECT_EQ(refusal, "") << row->description().id;
    for (const Shape& shape : {Shape{0, 1, 1}, Shape{1, 0, 1}, Shape{1, 1, 0}})
      EXPECT_NE(row->why_not(taken_at(*row, shape), parameters), "") << row->description().id;
  }
}

TEST(CpuTable, parameters_outside_the_choices_are_refused) {
  for (const Implementation* implementation : implementations()) {
    const Description& description = implementation->description();
    EXPECT_THROW(complete(description, {{"no such parameter", std::int64_t{1}}}), std::invalid_argument);
    if (description.find("threads") == nullptr) continue;
    EXPECT_THROW(complete(description, {{"threads", std::int64_t{0}}}), std::invalid_argument)
        << description.id;
    EXPECT_THROW(complete(description, {{"threads", std::int64_t{4097}}}), std::invalid_argument)
        << description.id;
  }
}

}  // namespace
}  // namespace gemmlab::cpu
