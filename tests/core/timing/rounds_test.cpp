// The engine of rounds, on clocks of our own.

#include "core/timing/rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/timing/sampling.h"

namespace gemmlab {
namespace {

/// Takes `most` samples of the times given in turn; precise by the real rule.
class Scripted : public Timed {
 public:
  Scripted(std::vector<double> times, std::size_t most)
      : times_(std::move(times)), most_(most), stop_(0.01, 0.0) {}
  void look() override { stop_.look(samples_, 1); }
  bool precise() const override { return stop_.reached(); }
  bool needs_rounds() const override { return !precise() && samples_.size() + 1 < most_; }
  double seconds_per_sample() const override { return times_.front(); }
  bool round(int number, bool last) override {
    const bool more = !last && samples_.size() + 1 < most_;
    samples_.push_back(times_[samples_.size() % times_.size()]);
    rounds_.push_back(number);
    return more;
  }

  std::vector<double> times_, samples_;
  std::vector<int> rounds_;
  std::size_t most_;
  PrecisionStop stop_;
};

TEST(Rounds, all_take_part_in_the_same_rounds_and_end_in_one) {
  Scripted one({1.0, 2.0}, 6), other({3.0, 5.0}, 6);
  int finished = 0;
  interleave({&one, &other}, 1, 0, [&](Timed&) { ++finished; });
  EXPECT_EQ(one.rounds_, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(other.rounds_, one.rounds_);
  EXPECT_EQ(finished, 2);
}

TEST(Rounds, who_is_precise_stops_early_and_who_scatters_goes_on_to_its_limit) {
  Scripted steady({1.0}, 500), scattered({1.0, 2.0}, 40);
  interleave({&steady}, 1, 0, [](Timed&) {});
  EXPECT_EQ(steady.samples_.size(), kFewestForComparison);
  interleave({&scattered}, 1, 0, [](Timed&) {});
  EXPECT_EQ(scattered.samples_.size(), 40u);
}

TEST(Rounds, the_order_is_shuffled_anew_in_each_round) {
  std::map<int, std::vector<const Timed*>> seen;
  class Noted : public Scripted {
   public:
    Noted(std::map<int, std::vector<const Timed*>>& seen) : Scripted({1.0, 2.0}, 30), seen_(seen) {}
    bool round(int number, bool last) override {
      seen_[number].push_back(this);
      return Scripted::round(number, last);
    }
    std::map<int, std::vector<const Timed*>>& seen_;
  };
  Noted a(seen), b(seen), c(seen);
  interleave({&a, &b, &c}, 7, 0, [](Timed&) {});
  std::set<std::vector<const Timed*>> orders;
  for (const auto& [number, order] : seen) orders.insert(order);
  EXPECT_EQ(seen.size(), 30u);
  EXPECT_GT(orders.size(), 3u);
}

TEST(Rounds, whoever_prepares_a_round_can_end_them_all) {
  Scripted one({1.0, 2.0}, 100);
  std::vector<int> asked;
  interleave(
      {&one}, 1, 3, [](Timed&) { FAIL() << "it was not done"; },
      [&](int number) {
        asked.push_back(number);
        return number < 5;
      });
  EXPECT_EQ(asked, (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(one.rounds_, (std::vector<int>{3, 4}));
}

TEST(PrecisionStop, waits_for_as_much_time_and_as_many_samples_as_a_comparison_takes) {
  PrecisionStop stop(0.01, 0.3);
  stop.look(std::vector<double>(kFewestForComparison - 2, 1.0), 1.0);
  EXPECT_FALSE(stop.reached()) << "too few";
  stop.look(std::vector<double>(20, 1.0), 0.2);
  EXPECT_FALSE(stop.reached()) << "too short";
  stop.look(std::vector<double>(20, 1.0), 0.3);
  EXPECT_TRUE(stop.reached());
}

}  // namespace
}  // namespace gemmlab
