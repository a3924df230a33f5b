// Does the emulation do what Intel's manual says of the unit? GEMMLAB_EMULATED_TILES is set for this file.

#include <gtest/gtest.h>

#include <vector>

#include "cpu/gemm/matrix/tiles.h"

namespace GEMMLAB_MATRIX_NAMESPACE {
namespace {

constexpr int kPairs = 16;

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
/// Two BF16 numbers of a tile's word: an even term and an odd one.
std::uint32_t pair(float even, float odd) {
  return bits_of(even) >> 16 | (bits_of(odd) & 0xffff0000U);
}

/// sum += Σ x·y over the pairs of row 0 of A and column 0 of B.
float summed(float sum, const std::vector<std::uint32_t>& x, const std::vector<std::uint32_t>& y) {
  EmulatedTile a = {}, b = {}, c = {};
  for (std::size_t k = 0; k < x.size(); ++k) {
    a.words[0][k] = x[k];
    b.words[k][0] = y[k];
  }
  c.words[0][0] = bits_of(sum);
  multiply_emulated(c, a, b);
  return as_float(c.words[0][0]);
}

TEST(EmulatedTiles, sum_even_and_odd_terms_apart_and_then_the_tile) {
  const std::uint32_t one = pair(1, 1);
  EXPECT_EQ(summed(0.5F, std::vector(kPairs, one), std::vector(kPairs, one)), 32.5F);
  // Each sum is rounded to nearest, ties to even: 2²⁴ + 1 is 2²⁴. One behind another, the odd ones would be lost, too.
  EXPECT_EQ(summed(0, {pair(0x1p24F, 1), one}, {one, one}), 0x1p24F + 2);
  EXPECT_EQ(summed(0x1p24F, {pair(1, 0)}, {one}), 0x1p24F);
  EXPECT_EQ(summed(0x1p24F + 2, {pair(1, 0)}, {one}), 0x1p24F + 4);
}

TEST(EmulatedTiles, take_what_is_subnormal_for_zero) {
  EXPECT_EQ(summed(0, {pair(0x1p-127F, 0)}, {pair(0x1p100F, 0)}), 0) << "a factor";
  EXPECT_EQ(summed(0, {pair(0x1p-100F, 0)}, {pair(0x1p-30F, 0)}), 0) << "a sum";
  EXPECT_EQ(summed(0x1p-130F, {pair(0x1p-100F, 0)}, {pair(0x1p-26F, 0)}), 0x1p-126F) << "the tile's";
  // the product alone is subnormal, but is not rounded by itself
  EXPECT_EQ(summed(0, {pair(0x1p-100F, 0), pair(0x1p-100F, 0)}, {pair(0x1p-20F, 0), pair(0x1p-30F, 0)}),
            0x1p-120F + 0x1p-130F);
}

TEST(EmulatedTiles, multiply_signed_bytes_four_to_a_word) {
  EmulatedTile a = {}, b = {}, c = {};
  a.words[3][5] = 0x80ff027fU;  // 127, 2, -1, -128 from the lowest byte on
  b.words[5][7] = 0x8003fe01U;  // 1, -2, 3, -128
  c.words[3][7] = 1000;
  multiply_emulated_digits(c, a, b);
  EXPECT_EQ(c.words[3][7], 1000U + 127 - 4 - 3 + 16384);
  c.words[3][7] = 0x7fffffffU;
  multiply_emulated_digits(c, a, b);
  EXPECT_EQ(c.words[3][7], 0x7fffffffU + 16504U) << "wraps around";
  EXPECT_EQ(c.words[5][7], 0U);
}

TEST(EmulatedTiles, are_used_only_when_configured) {
  release_tiles();
  EXPECT_THROW(clear_tile<0>(), std::logic_error);
  configure_tiles();
  EXPECT_NO_THROW(clear_tile<0>());
  release_tiles();
}

}  // namespace
}  // namespace GEMMLAB_MATRIX_NAMESPACE
