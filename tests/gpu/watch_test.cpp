#include "gpu/watch.h"

#include <gtest/gtest.h>

#include <thread>

namespace gemmlab::gpu {
namespace {

using std::chrono::milliseconds;

constexpr const char* kWatchedCard = "0000:3B:00.0";

TimedReading at(int ms, double energy_j, double power_w = 0) {
  TimedReading made;
  made.when = GpuWatch::Clock::time_point(milliseconds(ms));
  if (energy_j > 0) made.reading.energy_j = energy_j;
  if (power_w > 0) made.reading.power_w = power_w;
  return made;
}

TEST(GpuEnergy, is_taken_between_the_first_and_the_last_rise_of_the_counter) {
  // another's work is in what the counter first shows; 400 W from its first rise on
  const auto energy = energy_of(
      {at(0, 1000), at(5, 1000), at(10, 1003), at(50, 1003), at(60, 1023), at(110, 1043), at(150, 1043)});
  ASSERT_TRUE(energy);
  EXPECT_DOUBLE_EQ(energy->joules, 40);
  EXPECT_DOUBLE_EQ(energy->seconds, 0.1);
  EXPECT_STREQ(energy->source, kEnergyCounter);
}

TEST(GpuEnergy, without_a_counter_power_is_integrated_where_the_sample_is_long) {
  const auto energy = energy_of({at(0, 0, 300), at(100, 0, 500), at(300, 0, 500)});
  ASSERT_TRUE(energy);
  EXPECT_DOUBLE_EQ(energy->joules, 0.1 * 400 + 0.2 * 500);
  EXPECT_DOUBLE_EQ(energy->seconds, 0.3);
  EXPECT_STREQ(energy->source, kIntegratedPower);
}

TEST(GpuEnergy, of_a_sample_too_short_for_either_is_unknown) {
  EXPECT_FALSE(energy_of({}));
  EXPECT_FALSE(energy_of({at(0, 1000, 300), at(10, 1008, 300), at(50, 1016, 300)})) << "two rises";
  EXPECT_FALSE(energy_of({at(0, 1), at(3, 2), at(6, 3), at(9, 4)}))
      << "in 6 ms a late reading weighs too much";
}

TEST(GpuWatch, reads_again_and_again_while_a_sample_runs_and_not_after) {
  GpuWatch watch(kWatchedCard, GEMMLAB_PLANTED_NVML);
  watch.begin();
  std::this_thread::sleep_for(milliseconds(300));
  watch.end();
  const Conditions seen = watch.seen();
  ASSERT_GE(seen.readings.size(), 10u) << "300 ms at a reading each 3 ms, on a machine with much else to do";
  EXPECT_LE(seen.readings.size(), 101u);
  ASSERT_TRUE(seen.energy);
  EXPECT_STREQ(seen.energy->source, kEnergyCounter);
  EXPECT_NEAR(seen.energy->joules / seen.energy->seconds, 400, 120);
  std::this_thread::sleep_for(milliseconds(30));
  EXPECT_EQ(watch.seen().readings.size(), seen.readings.size()) << "read though nothing ran";
}

TEST(GpuWatch, what_one_sample_saw_is_not_told_of_the_next) {
  GpuWatch watch(kWatchedCard, GEMMLAB_PLANTED_NVML);
  watch.begin();
  std::this_thread::sleep_for(milliseconds(100));
  watch.end();
  const std::vector<Reading> first = watch.seen().readings;
  ASSERT_FALSE(first.empty());
  watch.begin(std::chrono::hours(1));
  watch.end();
  EXPECT_TRUE(watch.seen().readings.empty());
}

TEST(GpuWatch, a_sample_of_the_hosts_clock_is_read_after_it_and_seldom) {
  GpuWatch watch(kWatchedCard, GEMMLAB_PLANTED_NVML);
  int told = 0;
  const auto start = GpuWatch::Clock::now();
  for (int i = 0; i < 200; ++i) {
    watch.begin(milliseconds(10000));
    watch.end(true);
    told += watch.seen().readings.empty() ? 0 : 1;
  }
  const auto passed = GpuWatch::Clock::now() - start;
  EXPECT_GE(told, 1);
  EXPECT_LE(told, passed / GpuWatch::kSeldom + 1);
}

TEST(GpuWatch, a_library_or_a_card_that_is_not_there_tells_nothing) {
  for (const auto& [card, library] : {std::pair{kWatchedCard, "libgemmlab-there-is-no-such-library.so.1"},
                                      std::pair{"0000:99:00.0", GEMMLAB_PLANTED_NVML}}) {
    GpuWatch watch(card, library);
    watch.begin();
    std::this_thread::sleep_for(milliseconds(20));
    watch.end(true);
    EXPECT_TRUE(watch.seen().readings.empty());
    EXPECT_FALSE(watch.seen().energy);
  }
}

TEST(GpuWatch, ends_while_a_sample_runs) {
  GpuWatch watch(kWatchedCard, GEMMLAB_PLANTED_NVML);
  watch.begin();  // whoever measures may throw before end()
}

}  // namespace
}  // namespace gemmlab::gpu
