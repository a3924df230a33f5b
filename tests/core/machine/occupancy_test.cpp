#include "core/machine/occupancy.h"

#include <gtest/gtest.h>

namespace gemmlab {
namespace {

constexpr SmLimits kH200{65536, 233472, 2048, 32};  // by its driver

TEST(OccupancyLimit, NamesWhatRunsOutFirst) {
  EXPECT_EQ(occupancy_limit(kH200, {256, 32, 1024}), "none");        // 8 blocks, all threads
  EXPECT_EQ(occupancy_limit(kH200, {256, 128, 1024}), "registers");  // 2 of 8
  EXPECT_EQ(occupancy_limit(kH200, {256, 32, 100 << 10}), "shared memory");
  EXPECT_EQ(occupancy_limit(kH200, {768, 24, 1024}), "threads");  // 2 blocks leave 512 threads
  EXPECT_EQ(occupancy_limit(kH200, {32, 32, 1024}), "blocks");    // 32 warps of 64
}

TEST(OccupancyLimit, RegistersAreGivenOutToWarpsInUnitsOf256) {
  // 40 registers: 1280 per warp, 12 warps to a sub-partition, 48 in all: 6 blocks of 8 warps
  EXPECT_EQ(occupancy_limit(kH200, {256, 40, 1024}), "registers");
  // 33 registers round up to 40
  EXPECT_EQ(occupancy_limit(kH200, {256, 33, 1024}), "registers");
}

TEST(OccupancyLimit, NamesAllThatRunOutTogether) {
  EXPECT_EQ(occupancy_limit(kH200, {256, 128, 233472 / 2}), "registers and shared memory");
}

TEST(OccupancyLimit, ABlockOf16ThreadsTakesAWarp) {
  EXPECT_EQ(occupancy_limit({65536, 233472, 2048, 64}, {16, 32, 1024}), "none");
  EXPECT_EQ(occupancy_limit(kH200, {16, 32, 1024}), "blocks");
}

}  // namespace
}  // namespace gemmlab
