#include "core/measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>

#include "core/gemm/implementation.h"
#include "core/subject_run.h"
#include "tests/core/plain_backend.h"

namespace gemmlab {
namespace {

/// Host memory, and a clock and conditions that the test plans.
class PlannedBackend : public test::PlainBackend {
 public:
  Device device() const override { return Device::kGpu; }  // no settling, no pilots
  std::int64_t last_level_cache_bytes() const override { return 1 << 16; }
  double sample(const std::vector<Call>& calls, Scope, Timing, std::uint64_t key) override {
    if (key == lost_by && samples > 6) throw std::runtime_error("the planted fault");
    for (const Call& call : calls) call();
    ++samples;
    keys.push_back(key);
    const double pace = (key == slow_key ? 10 : 1) * (key == noisy_key && samples % 4 < 2 ? 1.5 : 1);
    return call_s * pace * (1 + drift * samples) * static_cast<double>(calls.size());
  }
  void synchronize() override {
    if (lost_by > 0) throw std::runtime_error("the device is lost");
  }
  Conditions conditions() override {
    Reading reading;
    reading.clock_mhz = keys.back() == dips_key && samples % 3 == 0 ? 700 : 1000;
    reading.throttle_reasons.emplace();
    if (throttled_until > samples || keys.back() == capped_key)
      reading.throttle_reasons->push_back("planted");
    if (keys.back() == capped_key) reading.clock_mhz = 750;
    Conditions seen;
    seen.readings = {reading};
    return seen;
  }
  double end_to_end_s(const EndToEnd& work) override {
    ++end_to_end_calls;
    counted_allocations += work.allocation == Allocation::kCounted ? 1 : 0;
    work.run(test::operands_of(work));
    return 5e-3;
  }

  double call_s = 2e-3;
  double drift = 0;              ///< by which each sample is slower than the one before
  std::uint64_t slow_key = 0;    ///< whose calls take ten times as long
  std::uint64_t noisy_key = 0;   ///< half of whose calls take 1.5 times as long: no median settles
  std::uint64_t capped_key = 0;  ///< whose samples find the clock held down
  std::uint64_t dips_key = 0;    ///< whose samples find a low clock now and then, and no reason
  std::uint64_t lost_by = 0;     ///< whose calls, once it has warmed up, break the device
  std::vector<std::uint64_t> keys;
  int samples = 0;
  int throttled_until = 0;
  int end_to_end_calls = 0;
  int counted_allocations = 0;
};

/// The plain product, which counts the rows that it computes.
class Counting : public GemmImplementation {
 public:
  explicit Counting(const char* id) { description_.id = id; }
  const Description& description() const override { return description_; }
  std::string why_not(const Shape&, const Parameters&) const override { return {}; }
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters&) const override {
    ++sessions;
    return std::make_unique<One>(shape, *this);
  }

  mutable int sessions = 0;
  mutable std::map<std::int64_t, int> calls_of_rows;

 private:
  class One : public GemmSession {
   public:
    One(const Shape& shape, const Counting& owner) : shape_(shape), owner_(owner) {}
    void multiply(const float* a, const float* b, float* c) override {
      ++owner_.calls_of_rows[shape_.m];
      for (std::int64_t row = 0; row < shape_.m; ++row) {
        for (std::int64_t col = 0; col < shape_.n; ++col) {
          float sum = 0;
          for (std::int64_t i = 0; i < shape_.k; ++i) sum += a[row * shape_.k + i] * b[i * shape_.n + col];
          c[row * shape_.n + col] = sum;
        }
      }
    }

   private:
    Shape shape_;
    const Counting& owner_;
  };
  Description description_;
};

struct Ended {
  int index;
  Point point;
  Outcome outcome;
};

class Measure : public ::testing::Test {
 protected:
  Subject subject(const Counting& implementation) {
    Subject made;
    made.implementation = &implementation;
    made.backend = &backend_;
    made.point.implementation = implementation.description().id;
    made.point.label = made.point.implementation;
    made.point.instance = gemm_at({20, 8, 8});
    return made;
  }
  /// What was handed over, in its order.
  const std::vector<Ended>& measure(const std::vector<Subject>& subjects, MeasureSettings settings = {}) {
    test::NoWatch watch;
    settings.min_time_s = 0.05;
    ended_.clear();
    measure_group(subjects, settings, plain_double_product, watch,
                  [&](int index, const Point& point, const Outcome& outcome) {
                    ended_.push_back({index, point, outcome});
                  });
    return ended_;
  }

  std::vector<Ended> ended_;
  PlannedBackend backend_;
  Counting one_{"gpu.one"};
  Counting other_{"gpu.other"};
};

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

std::size_t shared_rounds(const Outcome& one, const Outcome& other) {
  std::vector<int> shared;
  std::set_intersection(one.rounds.begin(), one.rounds.end(), other.rounds.begin(), other.rounds.end(),
                        std::back_inserter(shared));
  return shared.size();
}

double timed_s(const Outcome& outcome) {
  double total_s = 0;
  for (const double seconds : outcome.samples_s)
    total_s += seconds * static_cast<double>(outcome.calls_per_sample);
  return total_s;
}

/// A noisy point, the first, among `quiet` ones that are precise after a few samples.
class MeasureNoisy : public Measure {
 protected:
  std::map<int, Outcome> noisy_among(int quiet, double max_time_s = 1) {
    backend_.noisy_key = 1;
    std::vector<Subject> subjects{subject(one_)};
    for (int i = 0; i < quiet; ++i) {
      subjects.push_back(subject(other_));
      subjects.back().point.replica = i;
    }
    MeasureSettings settings;
    settings.twins = false;
    settings.max_time_s = max_time_s;
    std::map<int, Outcome> outcomes;
    for (const Ended& one : measure(subjects, settings)) outcomes[one.index] = one.outcome;
    return outcomes;
  }
};

TEST_F(MeasureNoisy, a_point_that_is_precise_shares_half_the_rounds_of_one_that_needs_more) {
  const auto outcomes = noisy_among(1);
  const Outcome& noisy = outcomes.at(0);
  const Outcome& quiet = outcomes.at(1);
  EXPECT_EQ(noisy.stop_reason, "limit");
  EXPECT_EQ(quiet.stop_reason, "precision");
  ASSERT_GT(noisy.rounds.size(), 100u);
  EXPECT_GE(shared_rounds(noisy, quiet), noisy.rounds.size() / 2);
  EXPECT_EQ(shared_rounds(noisy, quiet), quiet.rounds.size()) << "it takes no round by itself";
}

TEST_F(MeasureNoisy, a_point_that_is_precise_and_cheap_shares_every_round) {
  backend_.slow_key = 1;
  const auto outcomes = noisy_among(2);
  EXPECT_EQ(outcomes.at(1).rounds, outcomes.at(0).rounds);
  EXPECT_EQ(outcomes.at(2).rounds, outcomes.at(0).rounds);
}

TEST_F(MeasureNoisy, what_precise_points_add_stays_small_beside_what_the_noisy_one_costs) {
  const auto outcomes = noisy_among(9);
  double added_s = 0;
  for (int i = 1; i < 10; ++i) {
    const Outcome& quiet = outcomes.at(i);
    added_s += timed_s(quiet);
    EXPECT_EQ(quiet.rounds, outcomes.at(1).rounds) << "those that are precise share their rounds, too";
    EXPECT_GT(quiet.rounds.back(), outcomes.at(0).rounds.back() * 9 / 10) << "to the end";
  }
  EXPECT_LT(added_s - 9 * 0.05, 0.6 * timed_s(outcomes.at(0)));
}

TEST_F(MeasureNoisy, records_of_a_group_keep_samples_of_the_same_rounds) {
  const auto outcomes = noisy_among(1, 100);
  EXPECT_EQ(outcomes.at(0).stop_reason, "rounds");
  ASSERT_GT(outcomes.at(0).samples_s.size(), kMostSamplesKept);
  ASSERT_LT(outcomes.at(1).samples_s.size(), outcomes.at(0).samples_s.size());
  ASSERT_GT(outcomes.at(1).rounds.back(), static_cast<int>(kMostSamplesKept));
  for (const auto& [index, outcome] : outcomes) {
    const Json record = case_record("r", "e", subject(one_).point, outcome, 0, "");
    EXPECT_EQ(record.at("samples_s").size(), record.at("rounds").size());
    EXPECT_LT(record.at("rounds").back(), kMostSamplesKept) << index;
    EXPECT_GE(record.at("rounds").back(), kMostSamplesKept - 2) << index;
  }
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
}  // namespace gemmlab
