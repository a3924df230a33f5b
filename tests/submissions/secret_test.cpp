#include "submissions/judge/inputs/secret.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>
#include <stdexcept>
#include <vector>

#include "core/verification/verify.h"
#include "submissions/judge/inputs/check_inputs.h"
#include "submissions/judge/inputs/timed_answer.h"
#include "submissions/judge/inputs/timed_inputs.h"
#include "submissions/plain_text.h"

namespace gemmlab::submissions {
namespace {

/// The key of RFC 8439's examples, bytes 00 to 1f, as words.
std::string key_of_the_rfc() {
  std::string digits;
  for (int word = 0; word < 8; ++word) {
    char eight[9];
    std::snprintf(eight, sizeof eight, "%02x%02x%02x%02x", 4 * word + 3, 4 * word + 2, 4 * word + 1,
                  4 * word);
    digits += eight;
  }
  return digits;
}

TEST(Secret, gives_the_block_of_rfc_8439) {  // section 2.3.2
  std::vector<std::uint32_t> words(16);
  Secret::from_hex(key_of_the_rfc()).stream(words.data(), words.size(), {0x09000000, 0x4a000000, 0}, 1);
  const std::vector<std::uint32_t> expected{
      0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3, 0xc7f4d1c7, 0x0368c033, 0x9aaa2204, 0x4e6cd4c3,
      0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9, 0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2};
  EXPECT_EQ(words, expected);
}

TEST(Secret, gives_the_same_stream_however_it_is_cut) {
  const Secret secret = Secret::drawn();
  std::vector<std::uint32_t> whole(1000), part(16);
  secret.stream(whole.data(), whole.size(), {1, 2, 3}, 0);
  for (std::uint32_t block = 0; block < 62; ++block) {
    secret.stream(part.data(), part.size(), {1, 2, 3}, block);
    EXPECT_EQ(std::memcmp(part.data(), whole.data() + 16 * block, sizeof(std::uint32_t) * part.size()), 0)
        << block;
  }
}

TEST(Secret, is_another_one_each_time_and_comes_back_from_its_digits) {
  const Secret one = Secret::drawn();
  EXPECT_NE(one.hex(), Secret::drawn().hex());
  EXPECT_EQ(Secret::from_hex(one.hex()).seed(3, 4), one.seed(3, 4));
  EXPECT_NE(one.seed(3, 4), one.seed(3, 5));
  EXPECT_NE(one.seed(3, 4), one.seed(4, 4));
  for (const char* wrong : {"", "12", "zz"}) EXPECT_THROW(Secret::from_hex(wrong), std::invalid_argument);
}

class TimedAnswers : public ::testing::Test {
 protected:
  TimedAnswers()
      : a_(static_cast<std::size_t>(shape_.a_count())), b_(static_cast<std::size_t>(shape_.b_count())) {
    fill_uniform(a_.data(), shape_.a_count(), secret_, {1, 0, 0});
    fill_uniform(b_.data(), shape_.b_count(), secret_, {2, 0, 0});
    for (std::int64_t i = 0; i < shape_.m; ++i)
      for (std::int64_t j = 0; j < shape_.n; ++j) {
        float sum = 0;
        for (std::int64_t l = 0; l < shape_.k; ++l)
          sum +=
              a_[static_cast<std::size_t>(i * shape_.k + l)] * b_[static_cast<std::size_t>(l * shape_.n + j)];
        c_.push_back(sum);
      }
  }
  Verdict verdict() const {
    return overall(
        TimedAnswer(shape_, a_.data(), b_.data(), secret_, 7, plain_double_product).check(c_.data()));
  }

  const Shape shape_{150, 130, 170};
  const Secret secret_ = Secret::drawn();
  std::vector<float> a_, b_, c_;
};

TEST_F(TimedAnswers, are_right_for_plain_sums) {
  EXPECT_EQ(verdict(), Verdict::kOk);
}

TEST_F(TimedAnswers, are_wrong_for_one_wrong_element_anywhere) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{40 * 130 + 77}, c_.size() - 1}) {
    const float before = c_[at];
    c_[at] = before + 1;
    EXPECT_NE(verdict(), Verdict::kOk) << at;
    c_[at] = before;
  }
}

TEST_F(TimedAnswers, are_wrong_for_one_nan) {
  c_[1000] = std::nanf("");
  EXPECT_EQ(verdict(), Verdict::kIncorrect);
}

TEST(CheckInputs, hold_zeros_where_they_are_asked_for) {
  const Inputs inputs{{20, 20, 20}, Kind::kZeros, 5};
  const std::vector<float> a = made(inputs, Operand::kA);
  const auto zeros = std::count(a.begin(), a.end(), 0.0F);
  EXPECT_GT(zeros, 80);
  EXPECT_LT(zeros, 190);
}

TEST(CheckInputs, are_so_wide_that_no_fixed_point_holds_them_and_a_plain_sum_is_right) {
  const Shape shape{30, 20, 40};
  const Inputs inputs{shape, Kind::kWide, 9};
  const std::vector<float> a = made(inputs, Operand::kA), b = made(inputs, Operand::kB);
  float least = 1, most = 1;
  for (const float value : a)
    least = std::min(least, std::abs(value)), most = std::max(most, std::abs(value));
  EXPECT_LT(least, 1e-6F);
  EXPECT_GT(most, 1e6F);
  std::vector<float> c(static_cast<std::size_t>(shape.c_count()));
  for (std::int64_t i = 0; i < shape.m; ++i)
    for (std::int64_t l = 0; l < shape.k; ++l)
      for (std::int64_t j = 0; j < shape.n; ++j)
        c[static_cast<std::size_t>(i * shape.n + j)] +=
            a[static_cast<std::size_t>(i * shape.k + l)] * b[static_cast<std::size_t>(l * shape.n + j)];
  EXPECT_EQ(check_answer(inputs, c.data(), plain_double_product).verdict, Verdict::kOk);
  c[33] *= 1.5F;
  EXPECT_EQ(check_answer(inputs, c.data(), plain_double_product).verdict, Verdict::kIncorrect);
}

TEST(PlainText, holds_nothing_that_a_terminal_obeys) {
  EXPECT_EQ(plain_text("a\x1b[2Jb\x07\r\x7f\xc2\x9b"
                       "c\tü\n"),
            "a?[2Jb????c\tü\n");
}

}  // namespace
}  // namespace gemmlab::submissions
