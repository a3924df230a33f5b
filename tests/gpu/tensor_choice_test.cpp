// Which kernels gpu.tensor takes for a shape, before it touches a GPU.

#include <gtest/gtest.h>

#include "gpu/gemm/tensor/choose.h"

namespace gemmlab::gpu::parts {
namespace {

bool in_fp32(const Shape& shape) {
  const PipelinedCard h200;
  return better_in_fp32(shape, GemmForm{}, h200);
}

TEST(TensorChoice, takes_digits_where_their_estimate_lies_below_plain_fp32) {
  EXPECT_FALSE(in_fp32({1024, 1024, 1024}));
  EXPECT_FALSE(in_fp32({2048, 2048, 2048}));
  EXPECT_FALSE(in_fp32({4097, 4097, 4097}));
}

TEST(TensorChoice, stays_in_fp32_for_short_sums_small_and_thin_products) {
  EXPECT_TRUE(in_fp32({1024, 1024, 256}));
  EXPECT_TRUE(in_fp32({4096, 4096, 127}));
  EXPECT_TRUE(in_fp32({500, 500, 500}));
  EXPECT_TRUE(in_fp32({1, 4096, 4096}));
}

TEST(TensorChoice, estimates_digits_as_an_h200_was_seen_to_take) {
  const PipelinedCard h200;
  EXPECT_NEAR(estimated_seconds_of_digits({1024, 1024, 1024}, h200), 29.6e-6, 5e-6);
  EXPECT_NEAR(estimated_seconds_of_digits({4096, 4096, 4096}, h200), 634e-6, 60e-6);
  EXPECT_NEAR(estimated_seconds_of_digits({8192, 8192, 8192}, h200), 4.37e-3, 0.4e-3);
  PipelinedCard other;
  other.compute_capability = 80;
  EXPECT_EQ(estimated_seconds_of_digits({1024, 1024, 1024}, other), 0);
}

}  // namespace
}  // namespace gemmlab::gpu::parts
