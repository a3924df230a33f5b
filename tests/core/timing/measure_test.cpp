#include "core/timing/measure.h"

#include <set>

#include "tests/core/timing/measure_support.h"

namespace gemmlab::test {
namespace {

TEST_F(Measure, one_point_of_a_device_gets_a_twin_with_a_session_of_its_own) {
  const auto ended = measure({subject(one_), subject(other_)});
  ASSERT_EQ(ended.size(), 3u);
  int twins = 0;
  for (const Ended& one : ended) {
    EXPECT_EQ(one.outcome.status, Status::kOk) << one.outcome.reason;
    if (one.point.twin_of.empty()) continue;
    ++twins;
    const auto origin = std::find_if(ended.begin(), ended.end(), [&](const Ended& candidate) {
      return candidate.index == one.index && candidate.point.twin_of.empty();
    });
    ASSERT_NE(origin, ended.end());
    EXPECT_EQ(one.point.twin_of, origin->point.case_id());
    EXPECT_EQ(one.point.label, origin->point.label + " (again)");
    std::vector<int> shared;
    std::set_intersection(one.outcome.rounds.begin(), one.outcome.rounds.end(),
                          origin->outcome.rounds.begin(), origin->outcome.rounds.end(),
                          std::back_inserter(shared));
    EXPECT_GE(shared.size(), 8u) << "a 99 % interval of their ratio needs as many rounds";
  }
  EXPECT_EQ(twins, 1);
  EXPECT_EQ(one_.sessions + other_.sessions, 3);
}

TEST_F(Measure, a_point_that_is_done_waits_for_its_twin) {
  backend_.slow_key = 1;  // it has its least time long before its twin
  const auto ended = measure({subject(one_)});
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].point.twin_of, ended[1].point.case_id());
  EXPECT_EQ(ended[1].point.twin_of, "");
  EXPECT_EQ(ended[1].outcome.status, Status::kOk) << ended[1].outcome.reason;
  EXPECT_LT(ended[1].outcome.samples_s.size(), ended[0].outcome.samples_s.size());
  EXPECT_EQ(ended[1].outcome.rounds.back(), ended[0].outcome.rounds.back()) << "both end in one round";
}

TEST_F(Measure, a_twin_that_loses_the_device_takes_its_point_with_it) {
  backend_.lost_by = 2;
  EXPECT_THROW(measure({subject(one_)}), DeviceLost);
  ASSERT_EQ(ended_.size(), 2u);
  EXPECT_EQ(ended_[0].point.twin_of, ended_[1].point.case_id());
  for (const Ended& one : ended_) {
    EXPECT_EQ(one.outcome.status, Status::kCrashed);
    EXPECT_EQ(one.outcome.reason, "the planted fault");
  }
}

TEST_F(Measure, pairs_are_sampled_alike_though_their_warm_ups_told_different_times) {
  backend_.call_s = 1e-6;
  backend_.drift = 1e-3;
  Subject again = subject(one_);
  again.point.replica = 1;
  Subject slowed = subject(one_);
  slowed.point.handicap = 0.1;
  const auto ended = measure({subject(one_), again, slowed, subject(other_)});
  ASSERT_EQ(ended.size(), 5u);
  std::map<std::string, std::set<std::int64_t>> counts;
  for (const Ended& one : ended) {
    EXPECT_EQ(one.outcome.timing, Timing::kGraph);
    counts[one.point.implementation].insert(one.outcome.calls_per_sample);
  }
  EXPECT_EQ(counts.at("gpu.one").size(), 1u) << "a point, its replica, its slowed copy and perhaps its twin";
  EXPECT_EQ(counts.at("gpu.other").size(), 1u);
  EXPECT_NE(counts.at("gpu.one"), counts.at("gpu.other"))
      << "by then the clock ran slower: each finds its own";
}

TEST_F(Measure, every_call_of_a_point_goes_by_its_key_also_the_checked_first_one) {
  backend_.call_s = 2;  // no warm-up: the first timed sample is bound by what the check has shown
  MeasureSettings settings;
  settings.twins = false;
  const auto ended = measure({subject(one_)}, settings);
  EXPECT_EQ(ended.at(0).outcome.status, Status::kOk) << ended.at(0).outcome.reason;
  ASSERT_GE(backend_.keys.size(), 2u);
  EXPECT_NE(backend_.keys.front(), 0u);
  EXPECT_EQ(std::set<std::uint64_t>(backend_.keys.begin(), backend_.keys.end()).size(), 1u);
}

TEST_F(Measure, twins_can_be_left_out) {
  MeasureSettings settings;
  settings.twins = false;
  EXPECT_EQ(measure({subject(one_), subject(other_)}, settings).size(), 2u);
}

TEST_F(Measure, a_handicap_computes_that_share_of_the_rows_twice) {
  Subject slowed = subject(one_);
  slowed.point.handicap = 0.1;
  MeasureSettings settings;
  settings.twins = false;
  const auto ended = measure({slowed}, settings);
  EXPECT_EQ(ended.at(0).outcome.status, Status::kOk) << ended.at(0).outcome.reason;
  EXPECT_EQ(one_.calls_of_rows.size(), 2u);
  EXPECT_EQ(one_.calls_of_rows[2], one_.calls_of_rows[20]) << "2 of 20 rows again, at every call";
}

TEST_F(Measure, a_throttled_sample_is_taken_again_in_its_round) {
  MeasureSettings settings;
  settings.twins = false;
  backend_.throttled_until = 20;
  const auto ended = measure({subject(one_)}, settings);
  const Outcome& outcome = ended.at(0).outcome;
  EXPECT_TRUE(outcome.remeasured);
  EXPECT_FALSE(outcome.observed.throttled());
  EXPECT_TRUE(outcome.warnings.empty());
  for (std::size_t i = 0; i < outcome.rounds.size(); ++i) EXPECT_EQ(outcome.rounds[i], static_cast<int>(i));
}

TEST_F(Measure, what_stays_throttled_is_marked) {
  MeasureSettings settings;
  settings.twins = false;
  backend_.throttled_until = 1 << 30;
  const auto ended = measure({subject(one_)}, settings);
  EXPECT_TRUE(ended.at(0).outcome.remeasured);
  EXPECT_TRUE(ended.at(0).outcome.observed.throttled());
  EXPECT_EQ(ended.at(0).outcome.warnings.size(), 1u);
  EXPECT_EQ(ended.at(0).outcome.status, Status::kOk) << "slow is not wrong";
}

TEST_F(Measure, a_sample_whose_threads_were_not_bound_is_taken_again_in_its_round) {
  MeasureSettings settings;
  settings.twins = false;
  backend_.unbound_key = 1;
  backend_.unbound_for = 2;
  const auto ended = measure({subject(one_)}, settings);
  const Outcome& outcome = ended.at(0).outcome;
  EXPECT_EQ(backend_.unbound_for, 0);
  EXPECT_EQ(outcome.observed.why_unbound(), "");
  for (std::size_t i = 0; i < outcome.rounds.size(); ++i) EXPECT_EQ(outcome.rounds[i], static_cast<int>(i));
}

TEST_F(Measure, what_stays_unbound_is_kept_and_told) {
  MeasureSettings settings;
  settings.twins = false;
  backend_.unbound_key = 1;
  const auto measured = [&](int unbound_for) {
    backend_.unbound_for = unbound_for;
    backend_.samples = 0;
    return measure({subject(one_)}, settings).at(0).outcome;
  };
  const auto beside_those_kept = [&](const Outcome& outcome) {
    return backend_.samples - static_cast<int>(outcome.samples_s.size());
  };
  const Outcome none = measured(0);
  const int bound = beside_those_kept(none);
  const Outcome some = measured(3);
  EXPECT_EQ(beside_those_kept(some), bound + 2);
  EXPECT_EQ(some.observed.why_unbound(), "threads were not bound to cores in 1 of " +
                                             std::to_string(some.samples_s.size()) + " samples: planted");
  const Outcome all = measured(1 << 30);
  EXPECT_EQ(beside_those_kept(all), bound + 2)
      << "a library that makes its threads anew for each call would be waited for in every round";
  EXPECT_EQ(all.observed.why_unbound(), "threads were not bound to cores: planted");
  EXPECT_EQ(all.status, Status::kOk);
}

TEST_F(Measure, who_dips_beside_a_throttled_point_is_marked_with_it) {
  MeasureSettings settings;
  settings.twins = false;
  backend_.dips_key = 2;
  const auto throttled = [&] {
    std::map<int, bool> found;
    for (const Ended& one : measure({subject(one_), subject(other_)}, settings))
      found[one.index] = one.outcome.observed.throttled();
    return found;
  };
  EXPECT_EQ(throttled(), (std::map<int, bool>{{0, false}, {1, false}}));
  backend_.capped_key = 1;
  EXPECT_EQ(throttled(), (std::map<int, bool>{{0, true}, {1, true}}));
  EXPECT_EQ(ended_.at(0).outcome.warnings.size(), 1u);
  EXPECT_EQ(ended_.at(1).outcome.warnings.size(), 1u);
}

TEST_F(Measure, rounds_count_from_where_they_are_told) {
  MeasureSettings settings;
  settings.twins = false;
  settings.first_round = 1000;
  EXPECT_EQ(measure({subject(one_)}, settings).at(0).outcome.rounds.front(), 1000);
}

TEST_F(Measure, end_to_end_goes_by_the_host_and_is_verified_there) {
  Subject kept = subject(one_);
  kept.point.scope = Scope::kEndToEnd;
  Subject counted = kept;
  counted.point.allocation = Allocation::kCounted;
  MeasureSettings settings;
  settings.twins = false;
  const auto ended = measure({kept, counted}, settings);
  ASSERT_EQ(ended.size(), 2u);
  for (const Ended& one : ended) {
    EXPECT_EQ(one.outcome.status, Status::kOk) << one.outcome.reason;
    EXPECT_GE(one.outcome.input_sets, 2);
    for (const double seconds : one.outcome.samples_s) EXPECT_EQ(seconds, 5e-3);
  }
  EXPECT_GT(backend_.counted_allocations, 0);
  EXPECT_LT(backend_.counted_allocations, backend_.end_to_end_calls);
}

}  // namespace
}  // namespace gemmlab::test
