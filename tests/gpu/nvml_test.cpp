#include "gpu/nvml.h"

#include <gtest/gtest.h>

#include <thread>

namespace gemmlab::gpu {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kCard = "0000:3B:00.0";
constexpr const char* kNoLibrary = "libgemmlab-there-is-no-such-library.so.1";

void expect_nothing(const Conditions& conditions) {
  EXPECT_FALSE(conditions.clock_mhz);
  EXPECT_FALSE(conditions.temperature_c);
  EXPECT_FALSE(conditions.power_w);
  EXPECT_FALSE(conditions.throttle_reasons.has_value());
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
  expect_nothing(absent.read());
  EXPECT_FALSE(absent.persistence_mode());
  EXPECT_EQ(nvml_driver_version(kNoLibrary), "");
  GpuWatch watch(kCard, kNoLibrary);
  watch.look();
  expect_nothing(watch.seen());
}

TEST(Nvml, a_library_without_its_functions_leaves_everything_empty) {
  const Nvml other(kCard, "libm.so.6");
  EXPECT_FALSE(other.found());
  expect_nothing(other.read());
  EXPECT_FALSE(other.persistence_mode());
  EXPECT_EQ(nvml_driver_version("libm.so.6"), "");
}

TEST(Nvml, a_card_that_is_not_there_leaves_everything_empty) {
  const Nvml other("0000:99:00.0", GEMMLAB_PLANTED_NVML);
  EXPECT_FALSE(other.found());
  expect_nothing(other.read());
}

TEST(Nvml, tells_whether_the_driver_keeps_the_card_ready) {
  EXPECT_EQ(Nvml(kCard, GEMMLAB_PLANTED_NVML).persistence_mode(), std::optional<bool>(true));
}

TEST(Nvml, reads_clock_temperature_power_and_reasons_in_their_units) {
  const Nvml nvml(kCard, GEMMLAB_PLANTED_NVML);
  ASSERT_TRUE(nvml.found());
  const Conditions now = nvml.read();
  EXPECT_GT(now.clock_mhz.value(), 1000);
  EXPECT_EQ(now.temperature_c, 61.0);
  EXPECT_EQ(now.power_w, 345.6);
  EXPECT_EQ(now.throttle_reasons, (Words{"sw power cap", "hw thermal slowdown"}));
  EXPECT_EQ(nvml_driver_version(GEMMLAB_PLANTED_NVML), "580.1.2");
}

TEST(Nvml, a_watch_reads_no_more_often_than_it_says) {
  GpuWatch watch(kCard, GEMMLAB_PLANTED_NVML);
  expect_nothing(watch.seen());
  watch.look();
  const double first_mhz = watch.seen().clock_mhz.value();
  const auto start = std::chrono::steady_clock::now();
  int looks = 0;
  for (; looks < 1000; ++looks) watch.look();
  const auto passed = std::chrono::steady_clock::now() - start;
  EXPECT_LE(watch.seen().clock_mhz.value() - first_mhz, passed / GpuWatch::kShortest + 1);

  std::this_thread::sleep_for(GpuWatch::kLongest);
  const double before_mhz = watch.seen().clock_mhz.value();
  watch.look();
  EXPECT_EQ(watch.seen().clock_mhz.value(), before_mhz + 1) << "an old reading was kept";
}

}  // namespace
}  // namespace gemmlab::gpu
