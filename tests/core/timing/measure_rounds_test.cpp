// Which rounds the points of a group share where some are precise before others.

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/records/record.h"
#include "tests/core/timing/measure_support.h"

namespace gemmlab::test {
namespace {

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

}  // namespace
}  // namespace gemmlab::test
