#include "submissions/judge/timing/work_left_on_card.h"

#include <gtest/gtest.h>

#include <random>

namespace gemmlab::submissions {
namespace {

// Of cuBLAS on an H200: beside slows_others_down.cu, which leaves kernels on the card, and beside right hand-ins.
constexpr TwoClocks kKept512{255.8e-6, 16.7e-6, 2.8e-6}, kKept1024{262.5e-6, 59.1e-6, 0};
constexpr TwoClocks kServed512{17.5e-6, 19.5e-6, 0.3e-6}, kServed1024{59.3e-6, 60.3e-6, 0.4e-6};
constexpr TwoClocks kNone{};

TEST(TwoClocks, tell_a_library_that_another_process_kept_from_the_card) {
  EXPECT_TRUE(kKept512.kept_waiting());
  EXPECT_TRUE(kKept1024.kept_waiting());
  EXPECT_FALSE(kServed512.kept_waiting());
  EXPECT_FALSE(kServed1024.kept_waiting());
  EXPECT_FALSE((TwoClocks{16.6e-6, 19.9e-6, 0.3e-6}.kept_waiting())) << "the widest of 155 beside right ones";
  EXPECT_FALSE(kNone.kept_waiting());
}

// beside holds_the_card_between_its_turns.cu, whose kernel has the card in the middle of calls, too
TEST(TwoClocks, tell_a_library_that_is_slower_by_both_than_it_was_alone) {
  constexpr TwoClocks kHeld{174e-6, 155e-6, 0.5e-6, 58.9e-6};
  EXPECT_TRUE(kHeld.agree());
  EXPECT_TRUE(kHeld.kept_waiting());
  EXPECT_EQ(kHeld.in_words(), "0.174 ms, but 0.0589 ms before the submission had started");
  EXPECT_FALSE((TwoClocks{59.6e-6, 60.3e-6, 0.5e-6, 58.9e-6}.kept_waiting()));
  EXPECT_FALSE((TwoClocks{23.1e-6, 21.7e-6, 1.9e-6, 16e-6}.kept_waiting())) << "the widest, at 512";
}

TEST(TwoClocks, also_where_the_work_that_was_left_makes_the_clock_uncertain) {
  EXPECT_TRUE((TwoClocks{255.8e-6, 16.7e-6, 240e-6}.kept_waiting()));
}

TEST(TwoClocks, do_not_agree_where_events_show_more_but_nobody_was_kept_waiting_then) {
  constexpr TwoClocks kForged{20e-6, 90e-6, 0};
  EXPECT_FALSE(kForged.agree());
  EXPECT_FALSE(kForged.kept_waiting());
}

/// A card on which somebody leaves work.
class LeftWorkTest : public ::testing::Test {
 protected:
  LeftOnCard judged() {
    return who_kept_it_waiting({
        [this] { return other(); },
        [this] {
          ++turns_;
          left_ms_ = leaves_ms_;
          return turns_ != fails_at_;
        },
        [this] {
          left_ms_ -= 250;
          ++waits_;
        },
    });
  }

  TwoClocks other() {
    ++looks_;
    const bool kept = left_ms_ > 0 || strangers_ || looks_ == strange_at_ || (busy_ && coin_(chance_));
    return kept ? kKept512 : kServed512;
  }

  int left_ms_ = 0, leaves_ms_ = 0;
  bool strangers_ = false;
  int strange_at_ = -1;
  int fails_at_ = -1;
  bool busy_ = false;
  std::mt19937 chance_{1};
  std::bernoulli_distribution coin_{0.5};
  int looks_ = 0, turns_ = 0, waits_ = 0;
};

TEST_F(LeftWorkTest, is_the_submissions_where_it_comes_back_after_each_of_its_turns) {
  left_ms_ = leaves_ms_ = 200;
  EXPECT_EQ(judged(), LeftOnCard::kOfSubmission);
  EXPECT_GE(turns_, 8);
}

TEST_F(LeftWorkTest, is_nobodys_where_it_was_once) {
  left_ms_ = 1200;
  EXPECT_EQ(judged(), LeftOnCard::kNone);
}

TEST_F(LeftWorkTest, is_not_the_submissions_where_others_are_at_work_all_the_time_or_now_and_then) {
  strangers_ = true;
  EXPECT_EQ(judged(), LeftOnCard::kOfOthers);
  strangers_ = false;
  for (int at = 1; at < 8; ++at) {
    looks_ = 0;
    strange_at_ = at;
    EXPECT_EQ(judged(), LeftOnCard::kNone) << at;
  }
}

TEST_F(LeftWorkTest, is_nobodys_on_a_machine_where_all_wait_now_and_then) {
  busy_ = true;
  for (int i = 0; i < 2000; ++i) EXPECT_NE(judged(), LeftOnCard::kOfSubmission);
}

TEST_F(LeftWorkTest, is_looked_for_a_few_seconds_and_not_in_a_submission_that_fails) {
  left_ms_ = 1'000'000;
  EXPECT_EQ(judged(), LeftOnCard::kOfOthers);
  EXPECT_LE(waits_, 10);
  left_ms_ = 0;
  leaves_ms_ = 200;
  fails_at_ = turns_ + 1;
  EXPECT_EQ(judged(), LeftOnCard::kNone);
}

}  // namespace
}  // namespace gemmlab::submissions
