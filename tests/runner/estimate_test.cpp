#include "experiments/runner/estimate.h"

#include <gtest/gtest.h>

#include "experiments/runner/roofline.h"

namespace gemmlab::runner {
namespace {

Point point(const std::string& id, std::int64_t size, std::int64_t threads) {
  Point made;
  made.implementation = id;
  made.parameters = {{"threads", threads}};
  made.shape = {size, size, size};
  return made;
}

TEST(Estimate, the_nearest_size_of_the_same_parameters_tells_the_rate) {
  Estimator estimator;
  estimator.learn(point("cpu.ikj", 100, 1), 2e6 / 1e9);   // 1 GFLOP/s
  estimator.learn(point("cpu.ikj", 1000, 1), 2e9 / 4e9);  // 4 GFLOP/s
  estimator.learn(point("cpu.ikj", 900, 2), 2 * 0.9e9 * 0.81 / 100e9);
  EXPECT_NEAR(estimator.call_s(point("cpu.ikj", 2000, 1)), 16e9 / 4e9, 1e-9);
  EXPECT_NEAR(estimator.call_s(point("cpu.ikj", 120, 1)), 2 * 120.0 * 120 * 120 / 1e9, 1e-9);
}

TEST(Estimate, a_call_over_the_limit_is_planned_as_skipped) {
  Estimator estimator;
  estimator.learn(point("cpu.ikj", 1000, 1), 100);
  MeasureSettings settings;
  settings.max_time_s = 20;
  EXPECT_LT(estimator.point_s(point("cpu.ikj", 1000, 1), settings), 20);
}

TEST(Roofline, the_binding_ceiling_is_the_slower_one) {
  const std::vector<Ceiling> ceilings{{"cpu", "fma", "avx2", 1, 100, "GFLOP/s", ""},
                                      {"cpu", "fma", "avx2", 4, 300, "GFLOP/s", ""},
                                      {"cpu", "memory_read", "dram", 1, 10, "GB/s", ""},
                                      {"cpu", "memory_read", "dram", 4, 20, "GB/s", ""}};
  const Floor compute = floor_of(point("cpu.ikj", 1000, 2), ceilings, {});
  EXPECT_EQ(compute.bound_by, "compute");
  EXPECT_NEAR(compute.seconds, 2e9 / 200e9, 1e-9) << "two threads reach twice one thread's rate";
  EXPECT_NEAR(floor_of(point("cpu.ikj", 1000, 64), ceilings, {}).seconds, 2e9 / 300e9, 1e-9)
      << "never over all cores'";
  EXPECT_EQ(floor_of(point("cpu.ikj", 8, 1), ceilings, {}).bound_by, "memory");
  EXPECT_EQ(floor_of(point("gpu.naive", 8, 1), ceilings, {}).seconds, 0) << "no ceiling was measured for it";
}

TEST(Roofline, warm_inputs_are_bound_by_the_cache_that_holds_them) {
  const std::vector<Ceiling> ceilings{{"cpu", "fma", "avx2", 1, 1e6, "GFLOP/s", ""},
                                      {"cpu", "memory_read", "l1", 1, 400, "GB/s", ""},
                                      {"cpu", "memory_read", "l2", 1, 100, "GB/s", ""},
                                      {"cpu", "memory_read", "dram", 1, 10, "GB/s", ""}};
  const CacheSizes caches{48 << 10, 2 << 20, 0, 0};
  Point warm = point("cpu.ikj", 32, 1);  // 12 KiB
  warm.cold = false;
  EXPECT_EQ(floor_of(warm, ceilings, caches).bound_by, "l1");
  EXPECT_NEAR(floor_of(warm, ceilings, caches).seconds, 12288 / 400e9, 1e-15);
  warm.shape = {128, 128, 128};
  EXPECT_EQ(floor_of(warm, ceilings, caches).bound_by, "l2");
  warm.shape = {1024, 1024, 1024};
  EXPECT_EQ(floor_of(warm, ceilings, caches).bound_by, "memory");
  Point cold = warm;
  cold.cold = true;
  cold.shape = {32, 32, 32};
  EXPECT_EQ(floor_of(cold, ceilings, caches).bound_by, "memory");
}

TEST(Roofline, end_to_end_is_bound_by_the_way_in_and_out) {
  const std::vector<Ceiling> ceilings{{"gpu", "fma", "ffma", 0, 60000, "GFLOP/s", ""},
                                      {"gpu", "memory_read", "dram", 0, 4000, "GB/s", ""},
                                      {"gpu", "transfer_to_device", "pinned", 0, 50, "GB/s", ""},
                                      {"gpu", "transfer_to_device", "pageable", 0, 10, "GB/s", ""},
                                      {"gpu", "transfer_from_device", "pinned", 0, 40, "GB/s", ""},
                                      {"gpu", "transfer_from_device", "pageable", 0, 20, "GB/s", ""}};
  Point one;
  one.implementation = "gpu.tiled";
  one.shape = {1000, 1000, 1000};
  EXPECT_EQ(floor_of(one, ceilings, {}).bound_by, "compute");
  one.scope = Scope::kEndToEnd;
  EXPECT_EQ(floor_of(one, ceilings, {}).bound_by, "transfer");
  EXPECT_NEAR(floor_of(one, ceilings, {}).seconds, 8e6 / 10e9 + 4e6 / 20e9, 1e-12);
  one.host_memory = HostMemory::kPinned;
  EXPECT_NEAR(floor_of(one, ceilings, {}).seconds, 8e6 / 50e9 + 4e6 / 40e9, 1e-12);
}

TEST(Estimate, another_scope_tells_less_than_another_parameter) {
  Estimator estimator;
  Point first = point("cpu.ikj", 1000, 1);
  first.scope = Scope::kFirstCall;
  estimator.learn(first, 2);
  estimator.learn(point("cpu.ikj", 1000, 2), 0.5);
  EXPECT_NEAR(estimator.call_s(point("cpu.ikj", 1000, 1)), 0.5, 1e-9);
}

}  // namespace
}  // namespace gemmlab::runner
