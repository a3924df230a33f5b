#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "cuda_runtime.h"
// After CUDA's words.
#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace {

__extension__ using Exact = __float128;  // 113 bits

/// Whether no neighbour of `got` lies nearer to the exact value, nor as near with an even last bit.
template <typename T>
bool is_nearest(Exact exact, T got) {
  const auto distance = [&](T value) {
    const Exact difference = exact - static_cast<Exact>(static_cast<float>(value));
    return difference < 0 ? -difference : difference;
  };
  if (__hisinf(got) != 0) return distance(T::of_bits(got.__x - 1U)) > 0;
  for (const int step : {-1, 1}) {
    if (step < 0 && (got.__x & 0x7fffU) == 0) continue;
    const T other = T::of_bits(static_cast<unsigned>(got.__x + step));
    if (__hisinf(other) != 0) continue;
    if (distance(other) < distance(got) || (distance(other) == distance(got) && (got.__x & 1U) != 0))
      return false;
  }
  return true;
}

class Random {
 public:
  unsigned bits16() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<unsigned>(state_ >> 48);
  }

 private:
  std::uint64_t state_ = 1;
};

template <typename T>
class SmallFloats : public testing::Test {};
using Formats = testing::Types<half, nv_bfloat16>;
TYPED_TEST_SUITE(SmallFloats, Formats);

TYPED_TEST(SmallFloats, every_value_survives_a_float_and_a_double) {
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    const TypeParam value = TypeParam::of_bits(bits);
    if (__hisnan(value)) {
      ASSERT_TRUE(__hisnan(TypeParam(static_cast<float>(value))));
      continue;
    }
    ASSERT_EQ(TypeParam(static_cast<float>(value)).__x, bits);
    ASSERT_EQ(TypeParam(static_cast<double>(static_cast<float>(value))).__x, bits);
  }
}

TYPED_TEST(SmallFloats, arithmetic_is_rounded_to_the_nearest_once) {
  Random random;
  for (int i = 0; i < 300000; ++i) {
    const TypeParam a = TypeParam::of_bits(random.bits16());
    const TypeParam b = TypeParam::of_bits(random.bits16());
    const float x = a;
    const float y = b;
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    ASSERT_TRUE(is_nearest(static_cast<Exact>(x) + y, a + b)) << x << " + " << y;
    ASSERT_TRUE(is_nearest(static_cast<Exact>(x) - y, __hsub(a, b))) << x << " - " << y;
    ASSERT_TRUE(is_nearest(static_cast<Exact>(x) * y, a * b)) << x << " * " << y;
    ASSERT_TRUE(is_nearest(x + y * 1e-9, TypeParam(x + y * 1e-9)));
    if (y == 0) continue;
    ASSERT_TRUE(is_nearest(static_cast<Exact>(x) / y, __hdiv(a, b))) << x << " / " << y;
  }
}

TYPED_TEST(SmallFloats, fused_multiply_add_is_rounded_once) {
  Random random;
  for (int i = 0; i < 300000; ++i) {
    // Numbers near 1, so that 113 bits hold each exact result.
    const TypeParam one = 1;
    const auto near_one = [&] { return TypeParam::of_bits(one.__x - 0x800U + random.bits16() % 0x1000U); };
    const TypeParam a = near_one();
    const TypeParam b = near_one();
    const TypeParam c = TypeParam::of_bits(near_one().__x ^ (random.bits16() & 0x8000U));
    const Exact exact =
        static_cast<Exact>(static_cast<float>(a)) * static_cast<float>(b) + static_cast<float>(c);
    ASSERT_TRUE(is_nearest(exact, __hfma(a, b, c)));
  }
}

TEST(Half, ends_where_the_card_s_does) {
  EXPECT_EQ(half(65519.0F).__x, 0x7bff);
  EXPECT_EQ(half(65520.0F).__x, 0x7c00);
  EXPECT_EQ(half(-0.0).__x, 0x8000);
  EXPECT_EQ(__float2half_rz(65519.0F).__x, 0x7bff);
  EXPECT_EQ(__float2half_rz(0x1p-25F + 0x1p-26F).__x, 0);
}

TEST(Half, pairs_are_of_four_bytes_and_computed_by_element) {
  static_assert(sizeof(half2) == 4 && alignof(half2) == 4);
  const half2 pair = __hfma2(__floats2half2_rn(1, 2), __float2half2_rn(3), __halves2half2(4, 5));
  EXPECT_EQ(__low2float(pair), 7);
  EXPECT_EQ(__high2float(pair), 11);
  EXPECT_TRUE(__hbeq2(__lowhigh2highlow(pair), make_half2(11, 7)));
}

TEST(DeviceMathematics, rounds_and_saturates_as_the_card_does) {
  EXPECT_EQ(__float2int_rn(2.5F), 2);
  EXPECT_EQ(__float2int_rd(-1.5F), -2);
  EXPECT_EQ(__float2int_rz(1e20F), INT32_MAX);
  EXPECT_EQ(__float2uint_rz(-3.0F), 0U);
  EXPECT_EQ(__float2int_rn(NAN), 0);
  EXPECT_EQ(__int2float_rz(16777219), 16777218.0F);
  EXPECT_EQ(__int2float_rn(16777219), 16777220.0F);
  EXPECT_EQ(__saturatef(NAN), 0);
  EXPECT_EQ(rsqrtf(4.0F), 0.5F);
}

TEST(DeviceMathematics, bits) {
  EXPECT_EQ(__brev(1U), 0x80000000U);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(__byte_perm(0x03020100U, 0x07060504U, 0x7531U), 0x07050301U);
  EXPECT_EQ(__byte_perm(0x83828180U, 0, 0xba98U), 0x83828180U);  // as 0x3210: no sign is spread
  EXPECT_EQ(__funnelshift_l(0x80000000U, 1U, 1U), 3U);
  EXPECT_EQ(__mulhi(INT32_MIN, 2), -1);
  EXPECT_EQ(__float_as_int(1.0F), 0x3f800000);
}

// Where the processor can fuse, -ffp-contract=fast would.
TEST(DeviceMathematics, a_product_of_its_own_is_rounded) {
  const float x = 1.0F + 0x1p-12F;
  EXPECT_EQ(__fadd_rn(__fmul_rn(x, x), -1.0F - 0x1p-11F), 0.0F);
  EXPECT_EQ(__fmaf_rn(x, x, -1.0F - 0x1p-11F), 0x1p-24F);
}

TEST(DeviceMathematics, min_and_max_take_every_pair_of_cuda) {
  EXPECT_EQ(min(3, 4U), 3U);
  EXPECT_EQ(max(2.0F, 3.0), 3.0);
  EXPECT_EQ(min(std::int64_t{5}, std::int64_t{4}), 4);
  EXPECT_EQ(max(NAN, 1.0F), 1.0F);
}

}  // namespace
