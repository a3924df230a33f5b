#include "submissions/judge/what_counts.h"

#include <gmock/gmock.h>

namespace gemmlab::submissions {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Shape kShape{512, 512, 512};

Timing timed(const char* role, double clock_s, double events_s) {
  Timing timing;
  timing.shape = kShape;
  timing.name = role;
  timing.role = role;
  timing.samples_s.assign(4, clock_s);
  if (events_s > 0) timing.events_s.assign(4, events_s);
  return timing;
}

std::string why(const Timing& own, const std::vector<Timing>& beside) {
  return why_uncounted(own, beside, {});
}

TEST(WhatCounts, times_on_which_both_clocks_agree_or_of_a_cpu) {
  EXPECT_THAT(why(timed(kSubmission, 62e-6, 66e-6), {timed(kLibrary, 24e-6, 20e-6)}), IsEmpty());
  EXPECT_THAT(why(timed(kSubmission, 62e-6, 0), {timed(kLibrary, 24e-6, 0)}), IsEmpty());
}

TEST(WhatCounts, no_times_of_which_the_cards_events_say_otherwise) {
  EXPECT_THAT(why(timed(kSubmission, 1.85e-3, 14e-6), {timed(kLibrary, 20e-6, 20e-6)}),
              HasSubstr("a call takes 1.85 ms by the judge's clock, but 0.014 ms by the card's events"));
}

// what double_sums.cu got on an H200 whose host was held up in three of six windows: uncertain, but not none
TEST(WhatCounts, times_of_which_the_fastest_agrees_with_the_cards_events) {
  Timing own = timed(kSubmission, 0, 577e-6);
  own.samples_s = {1.905e-3, 577.6e-6, 987e-6, 1.209e-3, 580e-6, 574.8e-6};
  EXPECT_THAT(why(own, {timed(kLibrary, 59e-6, 59e-6)}), IsEmpty());
  own.events_s.assign(6, 2e-3);
  EXPECT_THAT(why(own, {}), HasSubstr("but 2 ms by the card's events")) << "the clock shows less";
}

TEST(WhatCounts, no_times_beside_a_library_that_was_held_up_in_some_windows) {
  Timing library = timed(kLibrary, 256e-6, 17e-6);
  library.samples_s[0] = 17e-6;
  EXPECT_THAT(why(timed(kSubmission, 62e-6, 66e-6), {library}), HasSubstr("something kept the GPU from"));
}

// what slows_others_down.cu got on an H200: four times the library's speed
TEST(WhatCounts, no_times_beside_a_library_that_was_kept_from_the_card) {
  EXPECT_THAT(why(timed(kSubmission, 62e-6, 66e-6), {timed(kLibrary, 256e-6, 17e-6)}),
              HasSubstr("something kept the GPU from library, whose call takes 0.256 ms"));
  Timing elsewhere = timed(kLibrary, 256e-6, 17e-6);
  elsewhere.shape = {1024, 1024, 1024};
  EXPECT_THAT(why(timed(kSubmission, 62e-6, 66e-6), {elsewhere}), IsEmpty());
}

TEST(WhatCounts, no_times_beside_a_library_that_is_slower_than_alone) {
  Timing library = timed(kLibrary, 174e-6, 155e-6);
  library.alone_s = 59e-6;
  EXPECT_THAT(why(timed(kSubmission, 62e-6, 66e-6), {library}),
              HasSubstr("whose call takes 0.174 ms, but 0.059 ms before the submission had started"));
  library.alone_s = 171e-6;
  EXPECT_THAT(why(timed(kSubmission, 62e-6, 66e-6), {library}), IsEmpty());
}

TEST(WhatCounts, no_two_calls) {
  Timing timing = timed(kSubmission, 62e-6, 66e-6);
  timing.samples_s.resize(2);
  EXPECT_THAT(why(timing, {}), HasSubstr("only 2 of at least 3 calls"));
}

}  // namespace
}  // namespace gemmlab::submissions
