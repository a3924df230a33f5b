#include "core/implementation.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace gemmlab {
namespace {

Description tiled() {
  Description description;
  description.id = "gpu.tiled";
  description.parameters = {
      {"block",
       "edge of a tile",
       {std::int64_t{4}, std::int64_t{8}, std::int64_t{16}, std::int64_t{32}},
       0,
       0,
       std::int64_t{16}},
      {"layout", "how A lies", {std::string("row"), std::string("column")}, 0, 0, std::string("row")},
      {"threads", "how many", {}, 1, 4096, std::int64_t{2}}};
  return description;
}

std::string refusal(const Parameters& given, const Description& description = tiled()) {
  try {
    complete(description, given);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "taken";
}

TEST(implementation, complete_adds_the_defaults_and_keeps_what_was_given) {
  const Parameters all = complete(tiled(), {{"block", std::int64_t{32}}});
  EXPECT_EQ(all.size(), 3u);
  EXPECT_EQ(integer(all, "block"), 32);
  EXPECT_EQ(text(all, "layout"), "row");
  EXPECT_EQ(integer(all, "threads"), 2);
}

TEST(implementation, an_unknown_parameter_is_refused_with_what_is_allowed) {
  EXPECT_EQ(refusal({{"blok", std::int64_t{16}}}),
            "unknown parameter 'blok' of gpu.tiled; allowed: block, layout, threads");
}

TEST(implementation, a_parameter_of_a_method_without_any_is_refused) {
  Description bare;
  bare.id = "gpu.naive";
  EXPECT_EQ(refusal({{"block", std::int64_t{16}}}, bare),
            "unknown parameter 'block' of gpu.naive; allowed: none");
}

TEST(implementation, a_value_outside_the_choices_is_refused_with_what_is_allowed) {
  EXPECT_EQ(refusal({{"block", std::int64_t{12}}}),
            "parameter 'block' of gpu.tiled is 12; allowed: 4, 8, 16, 32");
  EXPECT_EQ(refusal({{"layout", std::string("rows")}}),
            "parameter 'layout' of gpu.tiled is rows; allowed: row, column");
}

TEST(implementation, a_value_outside_the_range_is_refused_and_its_ends_are_taken) {
  EXPECT_EQ(refusal({{"threads", std::int64_t{0}}}),
            "parameter 'threads' of gpu.tiled is 0; allowed: 1 to 4096");
  EXPECT_EQ(refusal({{"threads", std::int64_t{4097}}}),
            "parameter 'threads' of gpu.tiled is 4097; allowed: 1 to 4096");
  EXPECT_EQ(refusal({{"threads", std::int64_t{1}}}), "taken");
  EXPECT_EQ(refusal({{"threads", std::int64_t{4096}}}), "taken");
}

TEST(implementation, a_word_is_not_taken_for_a_number_nor_a_number_for_a_word) {
  EXPECT_EQ(refusal({{"block", std::string("16")}}),
            "parameter 'block' of gpu.tiled is 16; allowed: 4, 8, 16, 32");
  EXPECT_EQ(refusal({{"threads", std::string("2")}}),
            "parameter 'threads' of gpu.tiled is 2; allowed: 1 to 4096");
  EXPECT_THROW(integer({{"isa", std::string("avx2")}}, "isa"), std::out_of_range);
  EXPECT_THROW(text({{"block", std::int64_t{4}}}, "block"), std::out_of_range);
  EXPECT_THROW(integer({}, "block"), std::out_of_range);
  EXPECT_THROW(text({}, "isa"), std::out_of_range);
}

TEST(implementation, a_name_has_the_values_in_its_braces_and_tells_what_is_not_the_default) {
  Description description = tiled();
  EXPECT_EQ(display_name(description, {}), "tiled, block 16, layout row")
      << "unnamed: its id and all parameters";
  description.id = "gpu.tiled_by_hand";
  description.parameters.resize(1);
  EXPECT_EQ(display_name(description, {{"block", std::int64_t{8}}}), "tiled by hand, block 8");
  description = tiled();
  description.name = "tiled {block}, {threads} of them";
  EXPECT_EQ(display_name(description, {{"block", std::int64_t{32}}}), "tiled 32, 2 of them");
  description.parameters[1].told = ", A by its {layout}";
  description.parameters[1].choices.push_back(std::string("column_4x4"));
  EXPECT_EQ(display_name(description, {{"layout", std::string("row")}}), "tiled 16, 2 of them");
  const Parameters other{{"layout", std::string("column_4x4")}};
  EXPECT_EQ(display_name(description, other), "tiled 16, 2 of them, A by its column 4×4");
  EXPECT_EQ(name_parts(description, other),
            (std::vector<std::string>{"tiled {block}, {threads} of them", ", A by its {layout}"}));
}

TEST(implementation, all_choices_crosses_the_listed_values_and_keeps_the_default_of_ranges) {
  const std::vector<Parameters> all = all_choices(tiled());
  ASSERT_EQ(all.size(), 8u);
  EXPECT_EQ(to_string(all.front().at("block")), "4");
  EXPECT_EQ(text(all.front(), "layout"), "row");
  EXPECT_EQ(to_string(all.back().at("block")), "32");
  EXPECT_EQ(text(all.back(), "layout"), "column");
  for (const Parameters& parameters : all) EXPECT_EQ(integer(parameters, "threads"), 2);
  EXPECT_EQ(all_choices(Description{}).size(), 1u);
}

}  // namespace
}  // namespace gemmlab
