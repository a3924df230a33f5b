// Types of elements: every value of the narrow ones, rounding, ends of their ranges.

#include "core/element_type.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

namespace gemmlab {
namespace {

constexpr ElementType kNarrow[] = {ElementType::kBfloat16, ElementType::kFloat16, ElementType::kFloat8E4m3,
                                   ElementType::kFloat8E5m2};
constexpr float kInfinity = std::numeric_limits<float>::infinity();

float value_of(ElementType type, std::uint32_t bits) {
  float value = 0;
  widen(type, &bits, 1, &value);  // the lowest bytes of a little-endian word
  return value;
}
std::uint32_t bits_of(ElementType type, float value) {
  std::uint32_t bits = 0;
  narrow(type, &value, 1, &bits);
  return bits;
}

TEST(ElementTypes, hold_each_of_their_values_exactly) {
  for (const ElementType type : kNarrow) {
    const std::uint32_t count = 1U << (8 * bytes_of(type));
    for (std::uint32_t bits = 0; bits < count; ++bits) {
      const float value = value_of(type, bits);
      if (std::isnan(value)) continue;
      EXPECT_EQ(bits_of(type, value), bits) << to_string(type);
      EXPECT_EQ(rounded(type, value), value) << to_string(type);
    }
  }
}

// Between two neighbours a value goes to the nearer one, and from the middle to the one whose last bit is 0.
TEST(ElementTypes, round_to_nearest_and_ties_to_even) {
  for (const ElementType type : kNarrow) {
    const std::uint32_t largest = bits_of(type, static_cast<float>(largest_value(type)));
    for (std::uint32_t bits = 0; bits < largest; ++bits) {
      const float low = value_of(type, bits);
      const float high = value_of(type, bits + 1);
      const float middle = low / 2 + high / 2;
      if (middle - low != high - middle || middle == low) continue;  // finer than float32
      const float even = bits % 2 == 0 ? low : high;
      EXPECT_EQ(rounded(type, middle), even) << to_string(type) << " " << bits;
      EXPECT_EQ(rounded(type, -middle), -even) << to_string(type) << " " << bits;
      EXPECT_EQ(rounded(type, std::nextafter(middle, 0.0F)), low) << to_string(type) << " " << bits;
      EXPECT_EQ(rounded(type, std::nextafter(middle, kInfinity)), high) << to_string(type) << " " << bits;
    }
  }
}

TEST(ElementTypes, end_as_the_hardware_has_them) {
  EXPECT_EQ(largest_value(ElementType::kFloat16), 65504);
  EXPECT_EQ(largest_value(ElementType::kFloat8E4m3), 448);
  EXPECT_EQ(largest_value(ElementType::kFloat8E5m2), 57344);
  EXPECT_EQ(rounded(ElementType::kFloat16, 65519.0F), 65504);
  EXPECT_EQ(rounded(ElementType::kFloat16, 65520.0F), kInfinity);
  EXPECT_EQ(rounded(ElementType::kFloat8E4m3, 1e9F), 448);
  EXPECT_EQ(rounded(ElementType::kFloat8E4m3, -kInfinity), -448);
  EXPECT_EQ(rounded(ElementType::kFloat8E5m2, -1e9F), -kInfinity);
  EXPECT_EQ(rounded(ElementType::kInt8, 1000.0F), 127);
  EXPECT_EQ(rounded(ElementType::kInt8, -128.0F), -127);
  EXPECT_EQ(rounded(ElementType::kInt8, 2.5F), 2);
  for (const ElementType type : kNarrow) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(rounded(type, nan)) && std::isnan(value_of(type, bits_of(type, nan))));
    EXPECT_TRUE(std::signbit(rounded(type, -0.0F))) << to_string(type);
  }
}

TEST(ElementTypes, say_how_fine_they_are) {
  for (const ElementType type : kNarrow) {
    const float above = value_of(type, bits_of(type, 1.0F) + 1);
    EXPECT_EQ(2 * unit_roundoff(type), above - 1) << to_string(type);
    EXPECT_EQ(2 * least_roundoff(type), value_of(type, 1)) << to_string(type);
    const auto whole = static_cast<float>(largest_whole(type));
    EXPECT_EQ(rounded(type, whole), whole) << to_string(type);
    EXPECT_NE(rounded(type, whole + 1), whole + 1) << to_string(type);
  }
}

TEST(ElementTypes, are_known_by_name) {
  for (const ElementType type : kNarrow) EXPECT_EQ(element_type_from(to_string(type)), type);
  EXPECT_EQ(element_type_from("int8"), ElementType::kInt8);
  EXPECT_THROW(element_type_from("half"), std::invalid_argument);
}

TEST(ElementTypes, of_several_elements_are_written_and_read_one_after_the_other) {
  const std::vector<float> values{1, -2, 3.5F, 0};
  for (const ElementType type : {ElementType::kFloat32, ElementType::kBfloat16, ElementType::kFloat16,
                                 ElementType::kFloat8E4m3, ElementType::kFloat8E5m2}) {
    std::vector<char> stored(values.size() * bytes_of(type));
    std::vector<float> read(values.size());
    narrow(type, values.data(), 4, stored.data());
    widen(type, stored.data(), 4, read.data());
    EXPECT_EQ(read, values) << to_string(type);
  }
}

}  // namespace
}  // namespace gemmlab
