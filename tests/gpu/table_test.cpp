#include "gpu/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace gemmlab {
namespace {

TEST(GpuTable, is_empty_exactly_where_cuda_was_not_built) {
  EXPECT_EQ(gpu::implementations().empty(), !gpu::built_with_cuda());
}

TEST(GpuTable, ids_are_unique_and_begin_with_the_device) {
  std::set<std::string> ids;
  for (const Implementation* implementation : gpu::implementations()) {
    const Description& description = implementation->description();
    EXPECT_EQ(description.id.rfind("gpu.", 0), 0u) << description.id;
    EXPECT_EQ(description.device, Device::kGpu) << description.id;
    EXPECT_TRUE(ids.insert(description.id).second) << description.id << " is there twice";
  }
}

TEST(GpuTable, every_row_says_what_it_is_and_where_it_comes_from) {
  for (const Implementation* implementation : gpu::implementations()) {
    const Description& description = implementation->description();
    EXPECT_FALSE(description.summary.empty()) << description.id;
    EXPECT_EQ(description.summary.find('\n'), std::string::npos) << description.id;
    EXPECT_FALSE(description.source.empty()) << description.id;
    if (!description.counterpart.empty()) {
      EXPECT_EQ(description.counterpart.rfind("cpu.", 0), 0u) << description.id;
    }
  }
}

TEST(GpuTable, defaults_are_allowed_and_choices_rise) {
  for (const Implementation* implementation : gpu::implementations()) {
    for (const ParameterSpec& parameter : implementation->description().parameters) {
      SCOPED_TRACE(implementation->description().id + " " + parameter.name);
      EXPECT_TRUE(parameter.allows(parameter.default_value));
      EXPECT_FALSE(parameter.summary.empty());
      EXPECT_TRUE(std::is_sorted(parameter.choices.begin(), parameter.choices.end()));
    }
  }
}

TEST(GpuTable, references_stand_last) {
  const auto& all = gpu::implementations();
  EXPECT_TRUE(std::is_partitioned(all.begin(), all.end(), [](const Implementation* implementation) {
    return !implementation->description().reference;
  }));
}

TEST(GpuTable, every_choice_takes_the_smallest_shape_and_refuses_a_side_of_over_two_thousand_million) {
  for (const Implementation* implementation : gpu::implementations()) {
    for (const Parameters& parameters : all_choices(implementation->description())) {
      SCOPED_TRACE(implementation->description().id);
      EXPECT_EQ(implementation->why_not({1, 1, 1}, parameters), "");
      EXPECT_EQ(implementation->why_not({2'000'000'000, 1, 1}, parameters), "");
      EXPECT_NE(implementation->why_not({2'000'000'001, 1, 1}, parameters), "");
      EXPECT_NE(implementation->why_not({1, 1, std::int64_t{1} << 33}, parameters), "");
    }
  }
}

TEST(GpuTable, a_machine_without_a_gpu_says_why_and_has_nothing) {
  const std::string reason = gpu::unavailable();
  if (reason.empty()) GTEST_SKIP() << "a GPU is here";
  EXPECT_TRUE(gpu::measure_ceilings().empty());
  for (const Implementation* implementation : gpu::implementations()) {
    EXPECT_EQ(implementation->unavailable(), reason) << implementation->description().id;
  }
  try {
    gpu::make_backend();
    FAIL() << "a backend without a GPU";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace gemmlab
