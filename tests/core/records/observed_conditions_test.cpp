#include "core/records/observed_conditions.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gemmlab {
namespace {

Conditions clocked(double mhz, const std::vector<std::string>& reasons = {}) {
  Reading reading;
  reading.clock_mhz = mhz;
  reading.power_w = 300;
  reading.temperature_c = 50 + mhz / 1000;
  reading.throttle_reasons = reasons;
  Conditions conditions;
  conditions.readings = {reading};
  return conditions;
}

TEST(Observed, nothing_told_is_null) {
  Observed observed;
  observed.add({});
  nlohmann::ordered_json record;
  observed.write_to(record, 0);
  for (const auto& [name, value] : record.items()) EXPECT_TRUE(value.is_null()) << name;
  EXPECT_FALSE(observed.throttled());
}

TEST(Observed, one_stray_reading_is_no_throttling_and_many_are) {
  Observed stray, often;
  for (int i = 0; i < 100; ++i) {
    const std::vector<std::string> none, cap{"sw power cap"};
    stray.add(clocked(1980, i == 0 ? cap : none));
    often.add(clocked(1980, i % 10 == 0 ? cap : none));
  }
  EXPECT_FALSE(stray.saw_throttling());
  EXPECT_TRUE(often.saw_throttling());
  nlohmann::ordered_json record;
  often.write_to(record, 0);
  EXPECT_EQ(record["throttled"], true);
  EXPECT_EQ(record["throttle_reasons"].dump(), R"(["sw power cap"])");
  often.clear();
  EXPECT_FALSE(often.saw_throttling()) << "a point measured again starts anew";
}

TEST(Observed, clock_is_the_median_and_the_lowest_and_heat_the_highest) {
  Observed observed;
  for (const double mhz : {1980.0, 1000.0, 1970.0}) observed.add(clocked(mhz));
  nlohmann::ordered_json record;
  observed.write_to(record, 0);
  EXPECT_EQ(record["clock_mhz"], 1970.0);
  EXPECT_EQ(record["clock_low_mhz"], 1000.0);
  EXPECT_EQ(record["temperature_c"], 51.98);
  EXPECT_EQ(record["power_w"], 300.0);
}

/// As at 16384 on an H200: the clock falls now and then, and the card names its reason in so many readings.
Observed dipping(double low_mhz, int dips, int with_reason) {
  Observed observed;
  for (int i = 0; i < 100; ++i) {
    const std::vector<std::string> none, cap{"sw power cap"};
    observed.add(clocked(i < dips ? low_mhz : 1980, i < with_reason ? cap : none));
  }
  return observed;
}

TEST(Observed, both_sides_that_dipped_under_the_power_cap_are_marked_or_neither) {
  Observed one = dipping(1500, 8, 8);
  Observed other = dipping(1395, 4, 3);
  Observed steady = dipping(1980, 0, 0);
  EXPECT_TRUE(one.saw_throttling());
  EXPECT_FALSE(other.saw_throttling()) << "by itself it would not be marked";
  for (Observed* each : {&one, &other, &steady}) each->judge(true, 1980);
  EXPECT_TRUE(one.throttled());
  EXPECT_TRUE(other.throttled());
  EXPECT_FALSE(steady.throttled()) << "its clock never fell";
  nlohmann::ordered_json record;
  other.write_to(record, 0);
  EXPECT_EQ(record["throttled"], true);
  EXPECT_EQ(record["clock_mhz"], 1980.0);
  EXPECT_EQ(record["clock_low_mhz"], 1395.0);
  EXPECT_EQ(record["clock_readings"], 100);
  EXPECT_DOUBLE_EQ(record["clock_below_share"], 0.04);
  EXPECT_DOUBLE_EQ(record["throttled_share"], 0.03);
  Observed alike = dipping(1395, 4, 3);
  alike.judge(false, 1980);
  EXPECT_FALSE(alike.throttled()) << "nobody saw the cap more often than by chance";
}

TEST(Observed, a_clock_below_that_of_the_group_counts_as_fallen_though_it_never_moved) {
  Observed low = dipping(1500, 100, 0);
  low.judge(true, 1980);
  EXPECT_TRUE(low.throttled());
}

TEST(Observed, energy_is_mean_power_for_as_long_as_a_call_takes) {
  Observed observed;
  Conditions conditions;
  conditions.energy = Energy{40, 0.1, kEnergyCounter};
  observed.add(conditions);
  conditions.energy = Energy{20, 0.05, kEnergyCounter};
  observed.add(conditions);
  conditions.energy = Energy{1000, 1, kIntegratedPower};
  observed.add(conditions);
  nlohmann::ordered_json record;
  observed.write_to(record, 0.2);
  EXPECT_DOUBLE_EQ(record["energy_j_per_call"], 80) << "400 W for 0.2 s";
  EXPECT_EQ(record["energy_source"], kEnergyCounter);
  observed.write_to(record, 0);
  EXPECT_TRUE(record["energy_j_per_call"].is_null()) << "nothing was timed";
  EXPECT_TRUE(record["energy_source"].is_null());
}

TEST(Observed, energy_of_a_stretch_goes_before_that_of_samples) {
  Observed observed;
  Conditions conditions;
  conditions.energy = Energy{40, 0.1, kEnergyCounter};
  observed.add(conditions);
  nlohmann::ordered_json record;
  observed.write_to(record, 0.2);
  EXPECT_TRUE(record["energy_calls"].is_null()) << "of samples";
  observed.set_stretch({Energy{200, 0.5, kIntegratedPower}, 1.5, 6});
  observed.write_to(record, 0.2);
  EXPECT_DOUBLE_EQ(record["energy_j_per_call"], 100) << "400 W for 1.5 s, 6 calls";
  EXPECT_EQ(record["energy_source"], kIntegratedPower);
  EXPECT_EQ(record["energy_calls"], 6);
  EXPECT_EQ(record["energy_s"], 1.5);
}

TEST(Observed, one_unbound_or_flushed_sample_shows) {
  Observed observed;
  Conditions conditions;
  conditions.threads_ran = 2;
  conditions.pinned = true;
  conditions.denormals_flushed = false;
  observed.add(conditions);
  conditions.pinned = false;
  conditions.denormals_flushed = true;
  conditions.run_queue_delay_s = 0.5;
  observed.add(conditions);
  conditions.pinned = true;
  conditions.denormals_flushed = false;
  conditions.run_queue_delay_s = 0;
  observed.add(conditions);
  nlohmann::ordered_json record;
  observed.write_to(record, 0);
  EXPECT_EQ(record["pinned"], false);
  EXPECT_EQ(record["denormals"], "flushed");
  EXPECT_DOUBLE_EQ(record["run_queue_delay_s"], 0.25) << "a thread's share of what two waited";
}

TEST(Observed, what_the_system_does_not_tell_is_null_and_not_zero) {
  Observed observed;
  Conditions conditions;
  conditions.readings.emplace_back().clock_mhz = 1500;
  conditions.threads_ran = 1;
  observed.add(conditions);
  nlohmann::ordered_json record;
  observed.write_to(record, 0);
  EXPECT_TRUE(record["throttled"].is_null()) << "a clock alone does not say why it is what it is";
  EXPECT_TRUE(record["run_queue_delay_s"].is_null());
  EXPECT_TRUE(record["steal_s"].is_null());
}

TEST(Observed, a_sample_whose_threads_came_and_went_counts_as_not_pinned) {
  Observed observed;
  Conditions conditions;
  conditions.threads_ran = 2;
  conditions.pinned = true;
  observed.add(conditions);
  conditions.threads_ran = 0;
  conditions.pinned = false;
  conditions.steal_s = 0.25;
  observed.add(conditions);
  nlohmann::ordered_json record;
  observed.write_to(record, 0);
  EXPECT_EQ(record["pinned"], false);
  EXPECT_EQ(record["steal_s"], 0.25);
}

}  // namespace
}  // namespace gemmlab
