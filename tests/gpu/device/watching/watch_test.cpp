#include "gpu/device/watching/watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "gpu/device/watching/cards_watch.h"

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

Reading reading(double clock_mhz, double temperature_c, double power_w,
                std::vector<std::string> reasons = {}) {
  Reading made;
  made.clock_mhz = clock_mhz;
  made.temperature_c = temperature_c;
  made.power_w = power_w;
  made.throttle_reasons = std::move(reasons);
  return made;
}

TEST(CardsWatch, tells_the_lowest_clock_the_highest_temperature_and_the_power_of_all) {
  const std::vector<Reading> all = told_together(
      {{reading(1980, 40, 300), reading(1980, 41, 310, {"sw power cap"}), reading(1980, 42, 320)},
       {reading(1400, 60, 700, {"sw power cap"}), reading(1990, 30, 100, {"hw thermal slowdown"})}});
  ASSERT_EQ(all.size(), 2u) << "as many as the card with the fewest has";
  EXPECT_EQ(all[0].clock_mhz, 1400);
  EXPECT_EQ(all[0].temperature_c, 60);
  EXPECT_EQ(all[0].power_w, 1000);
  EXPECT_EQ(*all[0].throttle_reasons, std::vector<std::string>({"sw power cap"}));
  EXPECT_EQ(all[1].clock_mhz, 1980);
  EXPECT_EQ(*all[1].throttle_reasons, std::vector<std::string>({"sw power cap", "hw thermal slowdown"}));
  EXPECT_FALSE(all[0].energy_j) << "neither told any";
}

TEST(CardsWatch, what_one_card_does_not_tell_is_not_told_of_all) {
  Reading silent;
  silent.clock_mhz = 1000;
  const std::vector<Reading> all = told_together({{reading(1980, 40, 300)}, {silent}});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].clock_mhz, 1000);
  EXPECT_FALSE(all[0].power_w || all[0].temperature_c);
  EXPECT_TRUE(all[0].throttle_reasons) << "the other's are";
  EXPECT_TRUE(told_together({}).empty());
}

TEST(CardsWatch, sums_the_energy_of_all_over_the_first_card_s_time) {
  const auto all = energy_together({Energy{100, 0.2, kEnergyCounter}, Energy{150, 0.1, kEnergyCounter}});
  ASSERT_TRUE(all);
  EXPECT_DOUBLE_EQ(all->joules, 100 + 300);
  EXPECT_DOUBLE_EQ(all->seconds, 0.2);
  EXPECT_FALSE(energy_together({Energy{100, 0.2, kEnergyCounter}, std::nullopt}));
  EXPECT_FALSE(energy_together({Energy{1, 1, kEnergyCounter}, Energy{1, 1, kIntegratedPower}})) << "two ways";
}

TEST(CardsWatch, tells_of_as_many_cards_as_the_sample_ran_on) {
  // of the planted cards the second holds its clock down
  CardsWatch watch({"00000000:10:00.0", "00000000:20:00.0", "00000000:30:00.0"}, GEMMLAB_PLANTED_CARDS);
  watch.begin();
  std::this_thread::sleep_for(milliseconds(150));
  watch.end();
  for (const int cards : {1, 2, 3, 8}) {
    const std::vector<Reading> seen = watch.seen(cards).readings;
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(seen.front().clock_mhz, cards == 1 ? 1980 : 900);
    EXPECT_EQ(seen.front().power_w, 120 * std::min(cards, 3));
    EXPECT_EQ(seen.front().throttle_reasons->size(), cards == 1 ? 0u : 1u);
  }
}

}  // namespace
}  // namespace gemmlab::gpu
