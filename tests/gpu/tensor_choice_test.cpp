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

GemmBatch batch_of(std::int64_t count, const Shape& shape) {
  return {shape, GemmForm{}, count, shape.a_count(), shape.b_count(), shape.c_count()};
}

TEST(TensorChoice, estimates_batches_as_an_h200_was_seen_to_take) {
  const PipelinedCard h200;
  const auto near = [&](std::int64_t count, const Shape& shape, double seen) {
    EXPECT_NEAR(estimated_seconds(batch_of(count, shape), h200) / seen, 1, 0.04)
        << count << " of " << shape.m;
  };
  near(16, {1024, 1024, 1024}, 296.8e-6);
  near(8, {2048, 2048, 2048}, 768.2e-6);
  near(7, {1000, 1500, 1100}, 234.8e-6);
  near(32, {196, 512, 1152}, 154.9e-6);
  near(64, {512, 512, 512}, 359.5e-6);  // by FP16 pairs
}

TEST(TensorChoice, takes_tensor_cores_for_a_batch_where_they_were_seen_ahead) {
  const PipelinedCard h200;
  const auto in_fp32 = [&](std::int64_t count, const Shape& shape) {
    return better_in_fp32(batch_of(count, shape), h200);
  };
  EXPECT_FALSE(in_fp32(16, {1024, 1024, 1024}));
  EXPECT_FALSE(in_fp32(8, {2048, 2048, 2048}));
  EXPECT_FALSE(in_fp32(7, {1000, 1500, 1100}));
  EXPECT_FALSE(in_fp32(32, {196, 512, 1152}));
  EXPECT_TRUE(in_fp32(64, {512, 512, 512}));  // 339 µs, 360 by FP16 pairs
  EXPECT_TRUE(in_fp32(96, {512, 64, 512}));
  EXPECT_TRUE(in_fp32(16, {1024, 1024, 64}));
}

}  // namespace
}  // namespace gemmlab::gpu::parts
