#include "core/timing/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace gemmlab {
namespace {

/// Work of `rows` rows, with a time once for all of them and one for each.
struct Work {
  double once_s;
  double row_s;
  double rows = 8192;
  std::vector<double> pilots_s = {};

  double whole_s() const { return once_s + rows * row_s; }
  std::optional<double> over(double limit_s, double operations) {
    return predicted_over(limit_s, operations, [&](double share) -> std::optional<Pilot> {
      const double part = std::max(1.0, std::floor(share * rows));
      if (4 * part > rows) return std::nullopt;
      pilots_s.push_back(once_s + part * row_s);
      return Pilot{pilots_s.back(), part / rows};
    });
  }
};

constexpr double kOf8192 = 2.0 * 8192 * 8192 * 8192;

TEST(Pilots, of_a_product_that_copies_b_first_do_not_leave_it_out) {
  Work library{0.07, 1e-4};  // 0.9 s; by its first pilot 574 s, by its second 41 s
  EXPECT_EQ(library.over(5, kOf8192), std::nullopt);
  EXPECT_EQ(library.pilots_s.size(), 3u);
}

TEST(Pilots, leave_out_what_is_too_long_with_its_time) {
  Work loops{0, 0.005};
  const std::optional<double> found = loops.over(5, kOf8192);
  ASSERT_TRUE(found);
  EXPECT_NEAR(*found, loops.whole_s(), 1e-6 * loops.whole_s());
}

TEST(Pilots, are_none_of_them_longer_than_the_limit_after_the_second) {
  for (const double row_s : {1e-4, 7e-4, 2e-3, 0.05, 1.0}) {
    Work work{0.3, row_s};
    const std::optional<double> found = work.over(1, kOf8192);
    EXPECT_EQ(found.has_value(), work.whole_s() > 1) << row_s;
    ASSERT_GE(work.pilots_s.size(), 2u);
    for (std::size_t i = 2; i < work.pilots_s.size(); ++i) EXPECT_LE(work.pilots_s[i], 1) << row_s;
  }
}

TEST(Pilots, end_at_a_quarter_of_the_work) {
  Work whole_at_once{6, 0};  // whatever part it is, it takes as long
  EXPECT_TRUE(whole_at_once.over(5, 1e12)) << "two pilots have told";
  Work short_one{6, 0, 16};
  EXPECT_EQ(short_one.over(5, 1e9), std::nullopt) << "tried: only one pilot is short enough to tell";
  EXPECT_EQ(short_one.pilots_s.size(), 1u);
}

}  // namespace
}  // namespace gemmlab
