#include "core/machine/machine.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gemmlab {
namespace {

TEST(MachineSlug, drops_trademarks_clock_and_the_words_that_say_nothing) {
  EXPECT_EQ(machine_slug("Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz", "NVIDIA H200"),
            "intel-xeon-gold-6230-nvidia-h200");
  EXPECT_EQ(machine_slug("Intel(R) Xeon(R) Processor", ""), "intel-xeon");
  EXPECT_EQ(machine_slug("Intel(R) Core(TM) i7-12700H", ""), "intel-core-i7-12700h");
  EXPECT_EQ(machine_slug("AMD EPYC 9654 96-Core Processor", "Tesla T4"), "amd-epyc-9654-96-core-tesla-t4");
  EXPECT_EQ(machine_slug("Intel(R) Xeon(R) Platinum 8480+", ""), "intel-xeon-platinum-8480");
}

TEST(MachineSlug, is_a_file_name_whatever_the_model) {
  EXPECT_EQ(machine_slug("", ""), "unknown");
  EXPECT_EQ(machine_slug("../../etc", "a/b"), "etc-a-b");
  EXPECT_EQ(machine_slug("-- (R) --", ""), "unknown");
}

TEST(CpuInfo, describes_a_machine_that_can_exist) {
  const CpuInfo& info = cpu_info();
  EXPECT_FALSE(info.model.empty());
  EXPECT_EQ(info.model.find("(R)"), std::string::npos);
  EXPECT_FALSE(info.architecture.empty());
  EXPECT_GE(info.sockets, 1);
  EXPECT_GE(info.cores, 1);
  EXPECT_GE(info.threads_per_core, 1);
  EXPECT_GE(info.numa_nodes, 1);
  EXPECT_GT(info.memory_bytes, 1 << 20);
  EXPECT_GE(info.l3_bytes, 0);
  EXPECT_EQ(info.kernel.rfind("Linux ", 0), 0U);
  EXPECT_FALSE(info.governor.empty());
  EXPECT_FALSE(info.container.empty());
}

TEST(CpuInfo, isas_start_at_baseline_and_rise) {
  const auto& isa = cpu_info().isa;
  ASSERT_FALSE(isa.empty());
  EXPECT_EQ(isa.front(), "baseline");
  const std::vector<std::vector<std::string>> possible{
      {"baseline"}, {"baseline", "avx2"}, {"baseline", "avx2", "avx512"}, {"baseline", "neon"}};
  EXPECT_NE(std::find(possible.begin(), possible.end(), isa), possible.end());
}

TEST(AvailableMemory, is_no_more_than_there_is) {
  EXPECT_GT(available_memory_bytes(), 0);
  EXPECT_LE(available_memory_bytes(), cpu_info().memory_bytes);
}

}  // namespace
}  // namespace gemmlab
