// Points that are measured without a pause: on a device whose clock and meter the test plans.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/core/timing/measure_support.h"

namespace gemmlab::test {
namespace {

constexpr double kCool_s = 2e-3;  ///< a call before the device is hot

/// A device that slows down by a quarter once it has worked for 2 s, is held down by then, and uses 3 J a call.
class Heating : public PlannedBackend {
 public:
  double sample(const std::vector<Call>& calls, Scope scope, Timing timing, std::uint64_t key) override {
    call_s = worked_s < kHotAfter_s ? kCool_s : 1.25 * kCool_s;
    if (key == fails_in_stretch && in_stretch) throw std::runtime_error("the planted fault");
    const double seconds = PlannedBackend::sample(calls, scope, timing, key);
    worked_s += seconds;
    if (in_stretch) joules += 3 * static_cast<double>(calls.size());
    if (!in_stretch && stretches > 0) ++samples_after;
    return seconds;
  }
  Conditions conditions() override {
    if (in_stretch) return {};
    Conditions seen = PlannedBackend::conditions();
    if (worked_s >= kHotAfter_s && told_of_stretch)
      for (Reading& reading : seen.readings) reading.throttle_reasons->push_back("sw power cap");
    return seen;
  }
  void begin_energy() override {
    in_stretch = told_of_stretch = true;
    ++stretches;
    joules = 0;
    began_at_s = worked_s;
  }
  std::optional<Energy> end_energy() override {
    in_stretch = false;
    if (silent) return {};
    return Energy{joules / 2, (worked_s - began_at_s) / 2,
                  kEnergyCounter};  // of a part, as a counter tells it
  }
  std::string why_no_energy() const override { return "the planted silence"; }

  static constexpr double kHotAfter_s = 2;
  double worked_s = 0;
  double joules = 0;
  double began_at_s = 0;
  bool in_stretch = false;
  bool told_of_stretch = false;  ///< its readings are those of a stretch
  bool silent = false;
  std::uint64_t fails_in_stretch = 0;
  int stretches = 0;
  int samples_after = 0;  ///< taken when a stretch was over, before the next began
};

class Sustained : public Measure {
 protected:
  Subject hot(const Counting& implementation, Load load = Load::kSustained) {
    Subject made = subject(implementation);
    made.backend = &heating_;
    made.point.load = load;
    made.point.device = Device::kGpu;
    return made;
  }
  const Ended& of(Load load) const {
    return *std::find_if(ended_.begin(), ended_.end(), [&](const Ended& one) {
      return one.point.load == load && one.point.twin_of.empty();
    });
  }
  Json record_of(const Ended& one) const { return case_record("r", "e", one.point, one.outcome, 0, ""); }

  Heating heating_;
};

TEST_F(Sustained, counts_the_second_half_of_five_seconds_and_its_energy) {
  measure({hot(one_)});
  ASSERT_EQ(ended_.size(), 1u) << "it has no twin";
  const Outcome& outcome = ended_[0].outcome;
  ASSERT_EQ(outcome.status, Status::kOk) << outcome.reason;
  EXPECT_GE(outcome.sustained_s, 5);
  EXPECT_LT(outcome.sustained_s, 5.1);
  double counted_s = 0;
  for (const double seconds : outcome.samples_s) {
    EXPECT_NEAR(seconds, 1.25 * kCool_s, 1e-12) << "a sample of the half that warms up is counted";
    counted_s += seconds * static_cast<double>(outcome.calls_per_sample);
  }
  EXPECT_NEAR(counted_s, 2.5, 0.05);
  EXPECT_EQ(outcome.stop_reason, "sustained");
  const Json record = record_of(ended_[0]);
  EXPECT_EQ(record["load"], "sustained");
  EXPECT_NEAR(record["energy_j_per_call"], 3, 1e-9);
  EXPECT_EQ(record["energy_source"], kEnergyCounter);
  EXPECT_EQ(record["energy_calls"], outcome.samples_s.size() * outcome.calls_per_sample);
  EXPECT_NEAR(record["energy_s"], counted_s, 1e-9);
  EXPECT_NEAR(record["rates_per_j"]["gflop_per_j"], 2e-9 * 20 * 8 * 8 / 3, 1e-15);
  EXPECT_TRUE(record["no_energy"].is_null());
  EXPECT_NEAR(record["phases_s"]["timed"], outcome.sustained_s, 1e-9);
}

TEST_F(Sustained, lasts_as_long_as_is_asked_for_and_counts_a_sample_of_even_the_longest_calls) {
  MeasureSettings settings;
  settings.sustained_s = 7;
  measure({hot(one_)}, settings);
  EXPECT_NEAR(ended_[0].outcome.sustained_s, 7, 0.1);
  settings.sustained_s = 2 * kCool_s;
  measure({hot(one_)}, settings);
  EXPECT_GE(ended_[0].outcome.samples_s.size(), 1u);
}

TEST_F(Sustained, runs_when_all_others_are_done_and_shares_no_round_with_any) {
  Subject second = hot(other_);
  measure({hot(one_), hot(one_, Load::kBurst), second});
  ASSERT_EQ(ended_.size(), 4u) << "the burst has a twin";
  EXPECT_EQ(ended_[0].point.load, Load::kBurst) << "what is done is handed over first";
  EXPECT_EQ(ended_[1].point.load, Load::kBurst);
  EXPECT_EQ(heating_.stretches, 2);
  std::vector<int> rounds;
  for (const Ended& one : ended_) {
    if (!one.point.twin_of.empty()) continue;
    EXPECT_TRUE(std::is_sorted(one.outcome.rounds.begin(), one.outcome.rounds.end()));
    rounds.insert(rounds.end(), one.outcome.rounds.begin(), one.outcome.rounds.end());
  }
  std::sort(rounds.begin(), rounds.end());
  EXPECT_EQ(std::adjacent_find(rounds.begin(), rounds.end()), rounds.end());
}

TEST_F(Sustained, a_clock_that_is_held_down_is_told_and_is_no_fault_of_any) {
  measure({hot(one_), hot(one_, Load::kBurst)});
  const Json sustained = record_of(of(Load::kSustained));
  EXPECT_TRUE(sustained["throttled"].is_null());
  EXPECT_EQ(sustained["throttled_share"], 1.0);
  EXPECT_EQ(sustained["throttle_reasons"][0], "sw power cap");
  EXPECT_TRUE(sustained["warnings"].empty()) << sustained["warnings"];
  EXPECT_EQ(record_of(of(Load::kBurst))["throttled"], false);
}

TEST_F(Sustained, without_a_meter_the_energy_is_null_and_why_is_said) {
  heating_.silent = true;
  measure({hot(one_)});
  const Json record = record_of(ended_[0]);
  EXPECT_EQ(record["status"], "ok");
  EXPECT_TRUE(record["energy_j_per_call"].is_null());
  EXPECT_TRUE(record["rates_per_j"].is_null());
  EXPECT_EQ(record["no_energy"], "the planted silence");
}

TEST_F(Sustained, what_fails_in_the_stretch_ends_it_and_leaves_the_next_whole) {
  heating_.fails_in_stretch = 1;
  measure({hot(one_), hot(other_)});
  ASSERT_EQ(ended_.size(), 2u);
  EXPECT_EQ(ended_[0].outcome.status, Status::kFailed);
  EXPECT_EQ(ended_[0].outcome.reason, "the planted fault");
  EXPECT_EQ(ended_[1].outcome.status, Status::kOk) << ended_[1].outcome.reason;
  EXPECT_FALSE(heating_.in_stretch);
}

TEST_F(Sustained, a_check_alone_takes_no_stretch) {
  MeasureSettings settings;
  settings.verify_only = true;
  measure({hot(one_)}, settings);
  EXPECT_EQ(ended_[0].outcome.status, Status::kOk);
  EXPECT_EQ(heating_.stretches, 0);
}

TEST(Load, is_part_of_a_point_only_where_it_is_sustained) {
  Point point;
  point.instance = gemm_at({8, 8, 8});
  EXPECT_FALSE(point.canonical().contains("load")) << "no recorded case_id may change";
  const std::string burst = point.case_id();
  point.load = Load::kSustained;
  EXPECT_EQ(point.canonical()["load"], "sustained");
  EXPECT_NE(point.case_id(), burst);
}

}  // namespace
}  // namespace gemmlab::test
