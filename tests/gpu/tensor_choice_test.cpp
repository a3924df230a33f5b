// Which kernels gpu.tensor takes for a shape, before it touches a GPU.

#include <gtest/gtest.h>

#include "gpu/gemm/tensor/choose.h"

namespace gemmlab::gpu::parts {
namespace {

bool in_fp32(const Shape& shape) {
  const PipelinedCard h200;
  return better_in_fp32(shape, GemmForm{}, h200);
}

TEST(TensorChoice, takes_tensor_cores_where_their_estimate_lies_below_plain_fp32) {
  EXPECT_FALSE(in_fp32({1000, 1000, 1000}));
  EXPECT_FALSE(in_fp32({2048, 2048, 512}));
  EXPECT_FALSE(in_fp32({4097, 4097, 4097}));
}

TEST(TensorChoice, begins_with_digits_where_they_gain_more_than_splitting_anew_costs) {
  const auto digits = [](const Shape& shape, std::int64_t batch = 1) {
    return choose_wgmma(shape, PipelinedCard().sms, batch).digits;
  };
  EXPECT_TRUE(digits({3072, 3072, 3072}));
  EXPECT_TRUE(digits({2048, 2048, 2048}, 8));
  EXPECT_FALSE(digits({2048, 2048, 2048}));
  EXPECT_FALSE(digits({4096, 4096, 2047}));
  EXPECT_FALSE(digits({128, 128, 262144}));
}

TEST(TensorChoice, keeps_roundings_where_a_library_may_split_k_into_short_sums) {
  const auto carries = [](const Shape& shape) { return choose_wgmma(shape, PipelinedCard().sms).carries; };
  EXPECT_TRUE(carries({128, 128, 8192}));
  EXPECT_TRUE(carries({768, 768, 768}));
  EXPECT_TRUE(carries({3072, 3072, 3072}));
  EXPECT_FALSE(carries({1024, 1024, 1024}));
  EXPECT_FALSE(carries({4096, 4096, 4096}));
}

TEST(TensorChoice, stays_in_fp32_for_short_sums_small_and_thin_products) {
  EXPECT_TRUE(in_fp32({1024, 1024, 256}));
  EXPECT_TRUE(in_fp32({4096, 4096, 127}));
  EXPECT_TRUE(in_fp32({500, 500, 500}));
  EXPECT_TRUE(in_fp32({1, 4096, 4096}));
}

TEST(TensorChoice, estimates_products_as_an_h200_was_seen_to_take) {
  const PipelinedCard h200;
  const auto near = [&](const Shape& shape, double seen) {
    EXPECT_NEAR(estimated_seconds(shape, h200) / seen, 1, 0.14) << shape.m << " " << shape.k;
  };
  near({1024, 1024, 1024}, 29.0e-6);
  near({1280, 1280, 1280}, 52.9e-6);
  near({2048, 2048, 2048}, 116.7e-6);
  near({4096, 4096, 4096}, 636e-6);
  near({8192, 8192, 8192}, 4.31e-3);
  PipelinedCard other;
  other.compute_capability = 80;
  EXPECT_EQ(estimated_seconds(Shape{1024, 1024, 1024}, other), 0);
}

GemmBatch batch_of(std::int64_t count, const Shape& shape) {
  return {shape, GemmForm{}, count, shape.a_count(), shape.b_count(), shape.c_count()};
}

TEST(TensorChoice, estimates_batches_as_an_h200_was_seen_to_take) {
  const PipelinedCard h200;
  const auto near = [&](std::int64_t count, const Shape& shape, double seen) {
    EXPECT_NEAR(estimated_seconds(batch_of(count, shape), h200) / seen, 1, 0.16)
        << count << " of " << shape.m;
  };
  near(8, {2048, 2048, 2048}, 775.5e-6);
  near(32, {196, 1152, 512}, 186.8e-6);
  near(64, {512, 512, 512}, 267.5e-6);
  near(96, {512, 512, 512}, 388.9e-6);
  near(16, {512, 512, 1024}, 126.4e-6);
  near(12, {384, 384, 768}, 83.8e-6);
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
  EXPECT_FALSE(in_fp32(64, {512, 512, 512}));  // 268 µs, 339 in FP32
  EXPECT_TRUE(in_fp32(96, {512, 64, 512}));
  EXPECT_TRUE(in_fp32(16, {1024, 1024, 64}));
}

}  // namespace
}  // namespace gemmlab::gpu::parts
