#include <set>

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
    EXPECT_GT(info.clock_mhz, 100);
    EXPECT_GT(info.memory_clock_mhz, 100);
    EXPECT_FALSE(info.driver.empty());
    EXPECT_FALSE(info.runtime.empty());
  }
}

TEST_F(GpuFacts, ceilings_pass_their_own_check) {
  std::set<std::string> what;
  for (const Ceiling& ceiling : gpu::measure_ceilings()) {
    what.insert(ceiling.what);
    EXPECT_GT(ceiling.value, 0) << ceiling.what;
    EXPECT_EQ(ceiling.how.find("FAILED"), std::string::npos) << ceiling.what << ": " << ceiling.how;
    RecordProperty(ceiling.what, std::to_string(ceiling.value) + " " + ceiling.unit);
  }
  EXPECT_EQ(what, (std::set<std::string>{"fma", "memory_copy", "memory_read"}));
}

}  // namespace
}  // namespace gemmlab
