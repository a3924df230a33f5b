// The emulated sums against those that an H200 gave for the same bits.

#include "emulator/runtime/tensor_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace gemmlab::emulation {
namespace {

struct Format {
  int bits;      // of an element
  int exponent;  // of which these
  int fraction;  // and these
};
const std::map<std::string, Format> kFormats = {{"f16", {16, 5, 10}},
                                                {"bf16", {16, 8, 7}},
                                                {"tf32", {32, 8, 23}},
                                                {"e4m3", {8, 4, 3}},
                                                {"e5m2", {8, 5, 2}}};

float value_of(std::uint32_t bits, const Format& format) {
  const std::uint32_t fraction = bits & ((1u << format.fraction) - 1);
  const auto exponent = static_cast<int>(bits >> format.fraction & ((1u << format.exponent) - 1));
  const int bias = (1 << (format.exponent - 1)) - 1;
  const double part = std::ldexp(fraction, -format.fraction) + (exponent == 0 ? 0 : 1);
  const double size = std::ldexp(part, std::max(exponent, 1) - bias);
  return static_cast<float>(bits >> (format.bits - 1) & 1 ? -size : size);
}

std::vector<float> elements_of(const std::vector<std::uint32_t>& words, const Format& format) {
  std::vector<float> found;
  const std::uint32_t mask = format.bits == 32 ? ~0u : (1u << format.bits) - 1;
  for (const std::uint32_t word : words) {
    for (int at = 0; at < 32; at += format.bits) found.push_back(value_of(word >> at & mask, format));
  }
  return found;
}

float as_float(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

TEST(TensorSums, are_those_of_a_card_to_the_bit) {
  std::ifstream file(std::string(GEMMLAB_SOURCE_ROOT) + "/tests/emulator/tensor_sums.txt");
  std::map<std::string, int> seen;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string type;
    words >> type >> std::hex;
    const auto next = [&](int count) {
      std::vector<std::uint32_t> found(static_cast<std::size_t>(count));
      for (std::uint32_t& word : found) words >> word;
      return found;
    };
    const Format& format = kFormats.at(type);
    const std::vector<float> a = elements_of(next(8), format);
    const std::vector<float> b = elements_of(next(8), format);
    const std::vector<std::uint32_t> rest = next(3);
    ASSERT_TRUE(words) << line;
    const auto terms = static_cast<int>(a.size());
    const float c = as_float(rest[0]);
    EXPECT_EQ(tensor_sum(a.data(), b.data(), terms, c, sum_of_warp(format.bits, terms)), as_float(rest[1]))
        << line;
    EXPECT_EQ(tensor_sum(a.data(), b.data(), terms, c, sum_of_warpgroup(format.bits, terms)),
              as_float(rest[2]))
        << line;
    ++seen[type];
  }
  ASSERT_EQ(seen.size(), kFormats.size());
  for (const auto& [type, count] : seen) EXPECT_EQ(count, 48) << type;
}

TEST(TensorSums, cut_what_lies_below_the_largest_term) {
  const float a[] = {1, 1, 1, 1};
  const float small[] = {1, 0x1p-25F, 0x1p-25F, 0};
  const float smaller[] = {1, 0x1p-26F, 0x1p-26F, 0};
  const SumWidth width = sum_of_warpgroup(16, 4);
  EXPECT_EQ(tensor_sum(a, small, 4, 0, width), 1);  // kept while added, then cut to a float
  const float almost[] = {1, 0x1p-25F, 0x1p-24F, 0x1p-25F};
  EXPECT_EQ(tensor_sum(a, almost, 4, 0, width), 1 + 0x1p-23F);
  EXPECT_EQ(tensor_sum(a, smaller, 4, 0x1p-23F, width), 1 + 0x1p-23F);
  const float negative[] = {-1, -0x1p-24F, -0x1p-25F, 0};
  EXPECT_EQ(tensor_sum(a, negative, 4, 0, width), -1);  // towards zero
  EXPECT_EQ(tensor_sum(a, small, 4, 5, sum_of_warpgroup(8, 4)), 6);
  EXPECT_TRUE(std::isnan(tensor_sum(a, negative, 4, NAN, width)));
}

}  // namespace
}  // namespace gemmlab::emulation
