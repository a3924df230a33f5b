#include "gpu/device/watching/nvml.h"

#include <gtest/gtest.h>

namespace gemmlab::gpu {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kCard = "0000:3B:00.0";
constexpr const char* kNoLibrary = "libgemmlab-there-is-no-such-library.so.1";

void expect_nothing(const Nvml& nvml) {
  const Reading reading = nvml.read();
  EXPECT_FALSE(reading.clock_mhz);
  EXPECT_FALSE(reading.temperature_c);
  EXPECT_FALSE(reading.power_w);
  EXPECT_FALSE(reading.energy_j);
  EXPECT_FALSE(reading.throttle_reasons.has_value());
  EXPECT_FALSE(nvml.persistence_mode());
}

TEST(Nvml, throttle_reasons_are_those_that_hold_a_clock_down) {
  EXPECT_EQ(throttle_reasons(0), Words{});
  EXPECT_EQ(throttle_reasons(0x04), Words{"sw power cap"});
  EXPECT_EQ(throttle_reasons(0x08), Words{"hw slowdown"});
  EXPECT_EQ(throttle_reasons(0x20), Words{"sw thermal slowdown"});
  EXPECT_EQ(throttle_reasons(0x40), Words{"hw thermal slowdown"});
  EXPECT_EQ(throttle_reasons(0x80), Words{"hw power brake"});
  EXPECT_EQ(throttle_reasons(0x08 | 0x40), (Words{"hw slowdown", "hw thermal slowdown"}));
}

TEST(Nvml, an_idle_card_a_clock_setting_and_sync_boost_are_no_throttling) {
  EXPECT_EQ(throttle_reasons(0x01 | 0x02 | 0x10 | 0x100), Words{});
  EXPECT_EQ(throttle_reasons(0x01 | 0x02 | 0x10 | 0x100 | 0x04), Words{"sw power cap"});
}

TEST(Nvml, a_library_that_is_not_there_leaves_everything_empty) {
  const Nvml absent(kCard, kNoLibrary);
  EXPECT_FALSE(absent.found());
  expect_nothing(absent);
  EXPECT_EQ(nvml_driver_version(kNoLibrary), "");
}

TEST(Nvml, a_library_without_its_functions_leaves_everything_empty) {
  const Nvml other(kCard, "libm.so.6");
  EXPECT_FALSE(other.found());
  expect_nothing(other);
  EXPECT_EQ(nvml_driver_version("libm.so.6"), "");
}

TEST(Nvml, a_card_that_is_not_there_leaves_everything_empty) {
  const Nvml other("0000:99:00.0", GEMMLAB_PLANTED_NVML);
  EXPECT_FALSE(other.found());
  expect_nothing(other);
}

TEST(Nvml, reads_clock_temperature_power_and_reasons_in_their_units) {
  const Nvml nvml(kCard, GEMMLAB_PLANTED_NVML);
  ASSERT_TRUE(nvml.found());
  const Reading now = nvml.read();
  EXPECT_GT(now.clock_mhz.value(), 1000);
  EXPECT_EQ(now.temperature_c, 61.0);
  EXPECT_EQ(now.power_w, 345.6);
  EXPECT_GT(now.energy_j.value(), 0);
  EXPECT_EQ(nvml.persistence_mode(), true);
  EXPECT_EQ(now.throttle_reasons, (Words{"sw power cap", "hw thermal slowdown"}));
  EXPECT_EQ(nvml_driver_version(GEMMLAB_PLANTED_NVML), "580.1.2");
}

}  // namespace
}  // namespace gemmlab::gpu
