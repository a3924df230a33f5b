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
  const Floor compute = floor_of(point("cpu.ikj", 1000, 2), ceilings);
  EXPECT_EQ(compute.bound_by, "compute");
  EXPECT_NEAR(compute.seconds, 2e9 / 200e9, 1e-9) << "two threads reach twice one thread's rate";
  EXPECT_NEAR(floor_of(point("cpu.ikj", 1000, 64), ceilings).seconds, 2e9 / 300e9, 1e-9)
      << "never over all cores'";
  EXPECT_EQ(floor_of(point("cpu.ikj", 8, 1), ceilings).bound_by, "memory");
  EXPECT_EQ(floor_of(point("gpu.naive", 8, 1), ceilings).seconds, 0) << "no ceiling was measured for it";
}

}  // namespace
}  // namespace gemmlab::runner
