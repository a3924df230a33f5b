// The verdicts' list is a file; what the judge decides by is its order.

#include <gtest/gtest.h>

#include <iterator>
#include <string>

#include "submissions/judge/failures/failure.h"

namespace gemmlab::submissions {
namespace {

TEST(VerdictWords, every_enumerator_has_its_own_word) {
  EXPECT_STREQ(to_string(Judged::kCorrect), "correct");
  EXPECT_STREQ(to_string(Judged::kReducedPrecision), "reduced-precision");
  EXPECT_STREQ(to_string(Judged::kIncorrect), "incorrect");
  EXPECT_STREQ(to_string(Judged::kOutOfMemory), "out-of-memory");
  EXPECT_STREQ(to_string(Judged::kBuildFailed), "build-failed");
  EXPECT_EQ(static_cast<std::size_t>(Judged::kBuildFailed) + 1, std::size(kVerdictWords));
}

TEST(VerdictWords, worse_ones_come_later) {
  EXPECT_LT(Judged::kCorrect, Judged::kReducedPrecision);
  EXPECT_LT(Judged::kReducedPrecision, Judged::kIncorrect);
  EXPECT_LT(Judged::kIncorrect, Judged::kOutOfBounds);
  EXPECT_LT(Judged::kOutOfBounds, Judged::kDishonest);
}

}  // namespace
}  // namespace gemmlab::submissions
