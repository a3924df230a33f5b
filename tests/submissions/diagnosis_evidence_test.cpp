// What is told by more than one answer, by too little evidence, and by the size of errors.

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/submissions/diagnosis_support.h"

namespace gemmlab::submissions {
namespace {

using namespace planted;

TEST(Diagnosis, calls_two_different_answers_a_race) {
  std::minstd_rand next(3);
  const Kernel stale = with_values([&](int, int, float sum) { return next() % 10 == 0 ? sum - 60 : sum; });
  const Diagnosis d = judged(stale);
  expect(d, "race", {"two calls with the same inputs", "of 1073 elements"}, {"__syncthreads()"});
  Evidence second_only = evidence_of(right_kernel, shape(8, 9, 10));
  second_only.c_again[17] += 1;
  const Diagnosis late = diagnose(second_only, {});
  expect(late, "race", {"1 of 80 elements"});
  EXPECT_EQ(late.row, 1);
  EXPECT_EQ(late.col, 7);
}

TEST(Diagnosis, knows_the_answer_of_the_call_before) {
  Evidence e = evidence_of(right_kernel, shape(12, 13, 14));
  e.c = e.c_again = e.c_over_zeros = e.previous_right;
  expect(diagnose(e, {}), "remembered", {"the call before"}, {"this call"});
  // Nothing to accuse anybody of where the answers agree, or where C is too small to tell.
  Evidence same = evidence_of(with_values([](int i, int, float sum) { return i == 0 ? sum + 3 : sum; }),
                              shape(12, 13, 14));
  same.previous_right = run(right_kernel, same.shape, 0, 1);
  EXPECT_NE(diagnose(same, {}).pattern, "remembered");
  Evidence small = evidence_of(right_kernel, shape(1, 5, 2));
  small.c = small.c_again = small.c_over_zeros = small.previous_right;
  EXPECT_NE(diagnose(small, {}).pattern, "remembered");
}

TEST(Diagnosis, knows_sums_that_outlive_the_call) {
  std::vector<float> kept;
  const Kernel kernel = [&](const float* A, const float* B, float* C, int M, int N, int K) {
    right_kernel(A, B, C, M, N, K);
    kept.resize(static_cast<std::size_t>(M * K));
    for (int e = 0; e < M * K; ++e) C[e] = kept[e] += C[e];
  };
  expect(diagnose(evidence_of(kernel, shape(12, 13, 14)), {}), "kept-state", {"adds"}, {"outlives"});
}

TEST(Diagnosis, accuses_noise_of_nothing) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Shape at = seed % 2 ? shape(13, 17, 11) : shape(16, 16, 16);
    Evidence e = evidence_of(right_kernel, at);
    std::minstd_rand next(seed);
    for (float& x : e.c) x = static_cast<float>(next() % 1201) - 600;
    e.c_again = e.c;
    expect(diagnose(e, {}), "scattered", {"elements"}, {"fit no fault"});
  }
}

TEST(Diagnosis, accuses_a_few_wrong_elements_of_nothing) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Evidence e = evidence_of(right_kernel, shape(24, 40, 24));
    std::minstd_rand next(seed);
    for (int i = 0; i < 9; ++i) e.c[(next() >> 5) % e.c.size()] += static_cast<float>(1 + next() % 500);
    e.c_again = e.c;
    expect(diagnose(e, {}), "scattered", {"of 576 elements", ": C["});
  }
}

TEST(Diagnosis, calls_a_guess_a_guess) {
  const Diagnosis d =
      diagnose(evidence_of(with_terms([](int l, int N) { return l < N - 1; }), shape(1, 5, 1)), {});
  expect(d, "inner-off-by-one", {"last term"}, {"guess"});
}

TEST(Diagnosis, refuses_what_is_right_or_has_the_wrong_size) {
  EXPECT_THROW(diagnose(evidence_of(right_kernel, shape(3, 4, 5)), {}), std::invalid_argument);
  Evidence e = evidence_of(right_kernel, shape(3, 4, 5));
  e.c.pop_back();
  EXPECT_THROW(diagnose(e, {}), std::invalid_argument);
}

TEST(Diagnosis, reads_the_size_of_rounding) {
  const Diagnosis d = reduced_precision(shape(64, 256, 64), 3, 4, 1.5, 1.75, 9000);
  expect(d, "reduced-precision", {"Right for small integers", "9000 roundings", "M = 64, N = 256, K = 64"},
         {"bfloat16"});
  EXPECT_EQ(d.row, 3);
  EXPECT_EQ(d.expected, 1.5);
  expect(reduced_precision(shape(64, 256, 64), 0, 0, 1, 2, 900), "reduced-precision", {},
         {"half precision or TF32"});
  expect(reduced_precision(shape(64, 256, 64), 0, 0, 1, 2, 40), "reduced-precision", {}, {"-ffast-math"});
}

TEST(Patterns, have_names_of_their_own_in_kebab_case) {
  std::set<std::string> names;
  for (const auto& [name, meaning] : patterns()) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(std::string(name).find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos) << name;
    EXPECT_FALSE(std::string(meaning).empty()) << name;
  }
  for (const char* name :
       {"inputs-modified", "write-past-end", "read-before-start", "unfinished-work", "exception"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

}  // namespace
}  // namespace gemmlab::submissions
