#include <chrono>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "tests/gpu/on_gpu.h"

namespace gemmlab {
namespace {

class GpuFacts : public OnGpu {};

TEST_F(GpuFacts, every_gpu_is_described_in_full) {
  const std::vector<GpuInfo> gpus = gpu::gpus();
  ASSERT_FALSE(gpus.empty());
  for (const GpuInfo& info : gpus) {
    EXPECT_FALSE(info.name.empty());
    EXPECT_EQ(info.uuid.size(), std::string("GPU-00000000-0000-0000-0000-000000000000").size()) << info.uuid;
    EXPECT_NE(info.compute_capability.find('.'), std::string::npos);
    EXPECT_GT(info.sm_count, 0);
    EXPECT_GT(info.memory_bytes, 0);
    EXPECT_GT(info.l2_bytes, 0);
    EXPECT_GE(info.sm_registers, 32768);
    EXPECT_GE(info.sm_shared_bytes, info.block_shared_bytes);
    EXPECT_GE(info.block_shared_bytes, 48 << 10);
    EXPECT_GE(info.sm_threads, info.block_threads);
    EXPECT_EQ(info.sm_threads % 32, 0);
    EXPECT_GE(info.sm_blocks, 16);
    EXPECT_GT(info.clock_mhz, 100);
    EXPECT_GT(info.memory_clock_mhz, 100);
    EXPECT_FALSE(info.driver.empty());
    EXPECT_FALSE(info.runtime.empty());
  }
}

TEST_F(GpuFacts, ceilings_pass_their_own_check) {
  std::set<std::string> what;
  for (const Ceiling& ceiling : gpu::measure_ceilings()) {
    const std::string name = ceiling.what + " " + ceiling.level;
    EXPECT_TRUE(what.insert(name).second) << name << " is there twice";
    EXPECT_EQ(ceiling.device, "gpu");
    EXPECT_GT(ceiling.value, 0) << name;
    EXPECT_TRUE(ceiling.trusted) << name << ": " << ceiling.how;
    EXPECT_EQ(ceiling.how.find("FAILED") == std::string::npos, ceiling.trusted)
        << name << ": " << ceiling.how;
    RecordProperty(ceiling.what + "_" + ceiling.level, std::to_string(ceiling.value) + " " + ceiling.unit);
    std::cout << name << ": " << ceiling.value << " " << ceiling.unit << ", " << ceiling.how << "\n";
  }
  std::set<std::string> wanted = {"fma ffma",
                                  "memory_copy dram",
                                  "memory_read dram",
                                  "memory_read l2",
                                  "transfer_to_device pinned",
                                  "transfer_to_device pageable",
                                  "transfer_from_device pinned",
                                  "transfer_from_device pageable"};
  if (gpu::gpus().size() > 1)
    wanted.insert({"peer_copy one_link", "peer_copy all_links", "transfer_to_devices pinned",
                   "transfer_from_devices pinned"});
  EXPECT_EQ(what, wanted);
}

TEST_F(GpuFacts, ceilings_take_under_three_seconds_and_stand_in_their_order) {
  const auto start = std::chrono::steady_clock::now();
  std::map<std::string, double> value;
  for (const Ceiling& ceiling : gpu::measure_ceilings()) {
    value[ceiling.what + " " + ceiling.level] = ceiling.value;
  }
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_LT(wall_s, 3);
  // the nearer memory is the faster one, and no copy goes faster than what it reads from
  EXPECT_GT(value.at("memory_read l2"), value.at("memory_read dram"));
  EXPECT_GT(value.at("memory_read dram"), value.at("transfer_to_device pinned"));
  EXPECT_GT(value.at("transfer_to_device pinned"), 0.9 * value.at("transfer_to_device pageable"));
  EXPECT_GT(value.at("transfer_from_device pinned"), 0.9 * value.at("transfer_from_device pageable"));
  // two transfers a clock on at most 8192 wires: no card reads more than that
  const GpuInfo card = gpu::gpus().front();
  EXPECT_LT(value.at("memory_read dram"), 2e-3 * card.memory_clock_mhz * 8192 / 8);
}

TEST_F(GpuFacts, costs_are_microseconds_and_rise_with_what_is_timed) {
  std::map<std::string, double> seconds;
  for (const Cost& cost : gpu::measure_costs()) {
    EXPECT_EQ(cost.device, "gpu");
    EXPECT_FALSE(cost.how.empty()) << cost.what;
    EXPECT_GT(cost.seconds, 0) << cost.what;
    EXPECT_LT(cost.seconds, 1e-3) << cost.what;
    EXPECT_TRUE(seconds.emplace(cost.what, cost.seconds).second) << cost.what << " is there twice";
    std::cout << cost.what << ": " << cost.seconds * 1e6 << " us, " << cost.how << "\n";
  }
  ASSERT_EQ(seconds.size(), 5u);
  EXPECT_GT(seconds.at("empty_kernel"), seconds.at("event_pair"));
  // one of many in a string costs less than one with events, or with a wait, round it
  EXPECT_LT(seconds.at("graph_node"), seconds.at("empty_kernel"));
  EXPECT_LT(seconds.at("launch"), seconds.at("launch_and_synchronize"));
}

}  // namespace
}  // namespace gemmlab
