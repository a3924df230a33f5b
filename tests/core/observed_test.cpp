#include "core/observed.h"

#include <gtest/gtest.h>

namespace gemmlab {
namespace {

Conditions clocked(double mhz, const std::vector<std::string>& reasons = {}) {
  Conditions conditions;
  conditions.clock_mhz = mhz;
  conditions.power_w = 300;
  conditions.temperature_c = 50 + mhz / 1000;
  conditions.throttle_reasons = reasons;
  return conditions;
}

TEST(Observed, nothing_told_is_null) {
  Observed observed;
  observed.add({});
  nlohmann::ordered_json record;
  observed.write_to(record);
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
  EXPECT_FALSE(stray.throttled());
  EXPECT_TRUE(often.throttled());
  nlohmann::ordered_json record;
  often.write_to(record);
  EXPECT_EQ(record["throttled"], true);
  EXPECT_EQ(record["throttle_reasons"].dump(), R"(["sw power cap"])");
  often.clear();
  EXPECT_FALSE(often.throttled()) << "a point measured again starts anew";
}

TEST(Observed, clock_is_the_median_and_the_lowest_and_heat_the_highest) {
  Observed observed;
  for (const double mhz : {1980.0, 1000.0, 1970.0}) observed.add(clocked(mhz));
  nlohmann::ordered_json record;
  observed.write_to(record);
  EXPECT_EQ(record["clock_mhz"], 1970.0);
  EXPECT_EQ(record["clock_low_mhz"], 1000.0);
  EXPECT_EQ(record["temperature_c"], 51.98);
  EXPECT_EQ(record["power_w"], 300.0);
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
  observed.write_to(record);
  EXPECT_EQ(record["pinned"], false);
  EXPECT_EQ(record["denormals"], "flushed");
  EXPECT_DOUBLE_EQ(record["run_queue_delay_s"], 0.25) << "a thread's share of what two waited";
}

TEST(Observed, what_the_system_does_not_tell_is_null_and_not_zero) {
  Observed observed;
  Conditions conditions;
  conditions.clock_mhz = 1500;
  conditions.threads_ran = 1;
  observed.add(conditions);
  nlohmann::ordered_json record;
  observed.write_to(record);
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
  observed.write_to(record);
  EXPECT_EQ(record["pinned"], false);
  EXPECT_EQ(record["steal_s"], 0.25);
}

}  // namespace
}  // namespace gemmlab
