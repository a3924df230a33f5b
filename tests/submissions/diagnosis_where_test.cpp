// Which elements of C are wrong or were never written, and at which shapes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "tests/submissions/diagnosis_support.h"

namespace gemmlab::submissions {
namespace {

using namespace planted;

TEST(Diagnosis, names_the_first_wrong_element_with_both_values) {
  const Kernel kernel =
      with_values([](int i, int j, float sum) { return i == 3 && j >= 5 ? sum + i + j : sum; });
  const Shape at = shape(29, 47, 37);
  const Diagnosis d = judged(kernel, at);
  const std::vector<float> right = run(right_kernel, at, 0, 1);
  EXPECT_EQ(d.row, 3);
  EXPECT_EQ(d.col, 5);
  EXPECT_EQ(d.expected, right[3 * 37 + 5]);
  EXPECT_EQ(d.got, right[3 * 37 + 5] + 8);
  EXPECT_EQ(d.wrong, 37 - 5);
  expect(d, "row-range", {"row 3", "(32 of 1073 elements)", "M = 29, N = 47, K = 37"});
}

TEST(Diagnosis, tells_nothing_written_from_sums_added_to_the_old_c) {
  const Kernel nothing = [](const float*, const float*, float*, int, int, int) {};
  expect(judged(nothing), "nothing-written", {"Wrong for all 16 shapes", "still holds"}, {"launched"});
  EXPECT_FALSE(has(judged(nothing).hint, "+="));
  const Kernel adding = [](const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < M; ++i) {
      for (int l = 0; l < N; ++l) {
        for (int j = 0; j < K; ++j) C[i * K + j] += A[i * N + l] * B[l * K + j];
      }
    }
  };
  const Diagnosis d = judged(adding);
  expect(d, "uninitialised-c", {"before the call", "over a C full of zeros the answer is right"},
         {"begins at 0"});
  EXPECT_TRUE(std::isnan(d.got));
  Evidence unknown = evidence_of(adding, shape(5, 6, 7));
  unknown.c_over_zeros.clear();
  expect(diagnose(unknown, {}), "nothing-written", {"still holds"}, {"+="});
}

TEST(Diagnosis, knows_a_c_that_is_added_to_by_its_nan_of_another_payload) {
  Evidence e = evidence_of(right_kernel, shape(9, 10, 11));
  e.c.assign(e.c.size(), std::bit_cast<float>(0x7fffffffu));  // as a GPU leaves it
  e.c_again = e.c;
  expect(diagnose(e, {}), "uninitialised-c", {"over a C full of zeros the answer is right"});
}

TEST(Diagnosis, says_which_part_was_not_written) {
  expect(judged(only_where([](int, int j, int, int, int K) { return j < K - 1; })), "last-column",
         {"the last column (column 36)", "29 of 1073"}, {"not < K-1"});
  expect(judged(only_where([](int i, int, int M, int, int) { return i < M - 1; })), "last-row",
         {"the last row (row 28)"}, {"not < M-1"});
  // Grids of M/16 and K/16 blocks where they should be rounded up.
  const Kernel floor_grid =
      only_where([](int i, int j, int M, int, int K) { return i < M / 16 * 16 && j < K / 16 * 16; });
  expect(judged(floor_grid), "partly-written",
         {"Right where M and K are multiples of 16", "rows from 16 on and the columns from 32 on"},
         {"(M + T - 1) / T"});
  const Kernel wrong_guard = only_where([](int, int j, int, int N, int) { return j < N; });
  expect(judged(wrong_guard, shape(17, 20, 50)), "partly-written", {"columns from 20 on"},
         {"N is 20 here", "where K must"});
}

TEST(Diagnosis, tells_nan_from_what_c_held_and_where_it_comes_from) {
  const Kernel division = with_values(
      [](int i, int, float sum) { return i == 0 ? std::numeric_limits<float>::quiet_NaN() : sum; });
  expect(judged(division), "nan", {"NaN in row 0", "37 of 1073"}, {"division by 0"});
  const Kernel outside = loops([](int, int N, int) { return N + 1; }, kA, kB, kC);
  expect(judged(outside), "nan", {"NaN"}, {"read outside"});
}

TEST(Diagnosis, says_which_part_holds_wrong_values) {
  const auto where = [](std::function<bool(int, int)> wrong) {
    return with_values(
        [=](int i, int j, float sum) { return wrong(i, j) ? sum + 1 + (i * 7 + j * 13) % 11 : sum; });
  };
  const Shape at = shape(33, 20, 70);
  expect(judged(where([](int i, int) { return i == 32; }), at), "last-row", {"the last row (row 32)"},
         {"< M"});
  expect(judged(where([](int, int j) { return j == 69; }), at), "last-column",
         {"the last column (column 69)"}, {"< K"});
  expect(judged(where([](int, int j) { return j >= 64; }), at), "edge-columns", {"columns from 64 on"},
         {"64"});
  expect(judged(where([](int i, int j) { return i == 32 && j == 69; }), at), "last-element", {"C[32][69]"});
  expect(judged(where([](int i, int j) { return i == 4 && j == 9; }), at), "single-element", {"C[4][9]"});
  expect(judged(where([](int i, int) { return i % 8 == 7; }), at), "stripes", {"divided by 8 leaves 7"});
  expect(judged(where([](int, int j) { return j % 2 == 1; }), at), "stripes",
         {"every other column (the odd ones)"});
  expect(judged(where([](int i, int j) { return (i / 16 + j / 16) % 2 == 1; }), shape(64, 20, 64)),
         "tile-pattern", {"8 of the 16 tiles of 16×16", "checkerboard"});
  expect(judged(where([](int i, int j) { return j > i; }), at), "triangle", {"above the diagonal"});
}

TEST(Diagnosis, explains_tiles_without_guards_at_the_edge) {
  // 16×16 tiles as a GPU kernel would have them: loads and stores are not guarded, so that rows run into each
  // other.
  const Kernel tiled = [](const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i0 = 0; i0 < M; i0 += 16) {
      for (int j0 = 0; j0 < K; j0 += 16) {
        for (int i = i0; i < i0 + 16; ++i) {
          for (int j = j0; j < j0 + 16; ++j) {
            float sum = 0;
            for (int l = 0; l < (N + 15) / 16 * 16; ++l) sum += A[i * N + l] * B[l * K + j];
            if (i * K + j < M * K) C[i * K + j] = sum;
          }
        }
      }
    }
  };
  expect(judged(tiled, shape(20, 24, 36)), "nan", {"multiples of 16"},
         {"read outside", "round their number up"});
}

TEST(Diagnosis, says_which_shapes_are_right) {
  const auto noise_unless = [](std::function<bool(int, int, int)> right) -> Kernel {
    return [=](const float* A, const float* B, float* C, int M, int N, int K) {
      right_kernel(A, B, C, M, N, K);
      if (right(M, N, K)) return;
      std::minstd_rand next(99);
      for (int e = 0; e < M * K; ++e) C[e] = static_cast<float>(next() % 4001) - 2000;
    };
  };
  expect(judged(noise_unless([](int M, int N, int K) { return M == N && N == K; })), "only-squares",
         {"Right for every square (5 shapes), wrong for all 11 others"}, {"strides"});
  expect(judged(noise_unless([](int, int, int K) { return K % 16 == 0; })), "only-multiples",
         {"Right where K is a multiple of 16"}, {"columns"});
  expect(judged(noise_unless([](int M, int N, int K) {
           return std::max({M, N, K}) <= 32;
         })),
         "only-small", {"at most 32", "from 33 on"}, {"fixed size"});
  expect(judged(noise_unless([](int M, int, int) { return M > 30; })), "only-large", {"M is at least 32"});
}

}  // namespace
}  // namespace gemmlab::submissions
