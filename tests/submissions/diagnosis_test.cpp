// Kernels with one fault each, run here, and what the diagnosis says of them.

#include "submissions/diagnosis/diagnosis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>

namespace gemmlab::submissions {
namespace {

/// As students write it: A is M×N, B is N×K, C is M×K.
using Kernel = std::function<void(const float* A, const float* B, float* C, int M, int N, int K)>;

Shape shape(int M, int N, int K) {
  return {M, K, N};
}

/// A matrix between two bands, into which a fault may reach.
class Matrix {
 public:
  Matrix(std::int64_t count, float fill)
      : count_(count),
        all_(static_cast<std::size_t>(3 * count + 2 * kBand), std::bit_cast<float>(kPoisonBand)) {
    std::fill(data(), data() + count, fill);
  }
  float* data() { return all_.data() + kBand + count_; }
  std::vector<float> values() { return {data(), data() + count_}; }

 private:
  static constexpr std::int64_t kBand = 8192;
  std::int64_t count_;
  std::vector<float> all_;
};

Matrix integers(std::int64_t count, unsigned seed) {
  Matrix matrix(count, 0);
  std::minstd_rand next(seed * 7919 + 17);
  for (std::int64_t i = 0; i < count; ++i) {
    const int value = 1 + static_cast<int>(next() >> 8) % 15;
    matrix.data()[i] = static_cast<float>((next() >> 12) % 2 ? value : -value);
  }
  return matrix;
}

std::vector<float> run(const Kernel& kernel, const Shape& s, float c_before, unsigned seed) {
  Matrix a = integers(s.a_count(), seed), b = integers(s.b_count(), seed + 1), c(s.c_count(), c_before);
  kernel(a.data(), b.data(), c.data(), static_cast<int>(s.m), static_cast<int>(s.k), static_cast<int>(s.n));
  return c.values();
}

void right_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < K; ++j) {
      float sum = 0;
      for (int l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
  }
}

const float kPoison = std::bit_cast<float>(kPoisonC);

/// What the judge hands over: the kernel's C at `at`, called once more, and over zeros.
Evidence evidence_of(const Kernel& kernel, const Shape& at) {
  Evidence evidence;
  evidence.shape = at;
  evidence.a = integers(at.a_count(), 1).values();
  evidence.b = integers(at.b_count(), 2).values();
  evidence.c = run(kernel, at, kPoison, 1);
  evidence.c_again = run(kernel, at, kPoison, 1);
  evidence.c_over_zeros = run(kernel, at, 0, 1);
  evidence.previous_right = run(right_kernel, at, 0, 5);
  return evidence;
}

const std::vector<Shape>& usual_shapes() {
  static const std::vector<Shape> all = {
      shape(1, 1, 1),    shape(16, 16, 16), shape(32, 32, 32), shape(48, 48, 48),
      shape(33, 33, 33), shape(17, 31, 13), shape(20, 24, 36), shape(29, 47, 37),
      shape(64, 24, 16), shape(16, 40, 24), shape(48, 16, 32), shape(32, 64, 48),
      shape(15, 16, 17), shape(16, 33, 48), shape(8, 72, 56),  shape(19, 40, 32)};
  return all;
}

std::vector<ShapeOutcome> outcomes_of(const Kernel& kernel) {
  std::vector<ShapeOutcome> all;
  for (const Shape& s : usual_shapes()) {
    all.push_back({s, run(kernel, s, kPoison, 1) == run(right_kernel, s, kPoison, 1)});
  }
  return all;
}

Diagnosis judged(const Kernel& kernel, const Shape& at = shape(29, 47, 37)) {
  return diagnose(evidence_of(kernel, at), outcomes_of(kernel));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void expect(const Diagnosis& d, const std::string& pattern, const std::vector<std::string>& in_summary,
            const std::vector<std::string>& in_hint = {}) {
  SCOPED_TRACE(d.pattern + "\n" + d.summary + "\n" + d.hint);
  EXPECT_EQ(d.pattern, pattern);
  for (const auto& part : in_summary) EXPECT_TRUE(has(d.summary, part)) << "summary lacks: " << part;
  for (const auto& part : in_hint) EXPECT_TRUE(has(d.hint, part)) << "hint lacks: " << part;
  EXPECT_EQ(d.summary.back(), '.');
  EXPECT_FALSE(has(d.summary + d.hint, "!"));
  const bool known = std::any_of(patterns().begin(), patterns().end(),
                                 [&](const Pattern& p) { return p.name == d.pattern; });
  EXPECT_TRUE(known) << "not in patterns()";
}

/// A product whose parts can each be replaced by a faulty one.
struct Parts {
  std::function<std::vector<int>(int N)> terms = [](int N) {
    std::vector<int> all;
    for (int l = 0; l < N; ++l) all.push_back(l);
    return all;
  };
  std::function<float(int i, int j, float sum)> store = [](int, int, float sum) { return sum; };
  std::function<bool(int i, int j, int M, int N, int K)> done = [](int, int, int, int, int) { return true; };

  operator Kernel() const {
    return [*this](const float* A, const float* B, float* C, int M, int N, int K) {
      const std::vector<int> taken = terms(N);
      for (int i = 0; i < M; ++i) {
        for (int j = 0; j < K; ++j) {
          if (!done(i, j, M, N, K)) continue;
          float sum = 0;
          for (const int l : taken) sum += A[i * N + l] * B[l * K + j];
          C[i * K + j] = store(i, j, sum);
        }
      }
    };
  }
};

Kernel with_terms(std::function<bool(int l, int N)> take) {
  Parts parts;
  parts.terms = [take](int N) {
    std::vector<int> all;
    for (int l = 0; l < N; ++l) {
      if (take(l, N)) all.push_back(l);
    }
    return all;
  };
  return parts;
}

Kernel with_values(std::function<float(int i, int j, float sum)> store) {
  Parts parts;
  parts.store = store;
  return parts;
}

Kernel only_where(std::function<bool(int i, int j, int M, int N, int K)> done) {
  Parts parts;
  parts.done = done;
  return parts;
}

/// A triple loop with any ends and places.
Kernel loops(std::function<int(int M, int N, int K)> inner,
             std::function<int(int i, int l, int M, int N, int K)> a,
             std::function<int(int l, int j, int M, int N, int K)> b,
             std::function<int(int i, int j, int M, int N, int K)> c) {
  return [=](const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < K; ++j) {
        float sum = 0;
        for (int l = 0; l < inner(M, N, K); ++l) sum += A[a(i, l, M, N, K)] * B[b(l, j, M, N, K)];
        C[c(i, j, M, N, K)] = sum;
      }
    }
  };
}
const auto kInner = [](int, int N, int) { return N; };
const auto kA = [](int i, int l, int, int N, int) { return i * N + l; };
const auto kB = [](int l, int j, int, int, int K) { return l * K + j; };
const auto kC = [](int i, int j, int, int, int K) { return i * K + j; };

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
  expect(d, "row-range", {"row 3", "(32 of 1073 elements)", "M=29, N=47, K=37"});
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

TEST(Diagnosis, finds_the_transposed_result_of_any_shape) {
  const Kernel kernel = loops(kInner, kA, kB, [](int i, int j, int M, int, int) { return j * M + i; });
  for (const Shape& at : {shape(32, 32, 32), shape(29, 47, 37)}) {
    expect(judged(kernel, at), "transposed-result", {"right product, but transposed"},
           {"C[row*K + col]", "C[col*M + row]"});
  }
}

TEST(Diagnosis, finds_operands_read_transposed) {
  const Kernel a = loops(
      kInner, [](int i, int l, int M, int, int) { return l * M + i; }, kB, kC);
  const Kernel b = loops(
      kInner, kA, [](int l, int j, int, int N, int) { return j * N + l; }, kC);
  for (const Shape& at : {shape(32, 32, 32), shape(29, 47, 37)}) {
    expect(judged(a, at), "transposed-a", {"A were stored transposed"},
           {"A[row*N + inner]", "A[inner*M + row]"});
    expect(judged(b, at), "transposed-b", {"B were stored transposed"},
           {"B[inner*K + col]", "B[col*N + inner]"});
  }
  const Kernel columns = loops(
      kInner, [](int i, int l, int M, int, int) { return l * M + i; },
      [](int l, int j, int, int N, int) { return j * N + l; },
      [](int i, int j, int M, int, int) { return j * M + i; });
  expect(judged(columns), "column-major", {"column by column"}, {"row-major"});
  expect(judged(columns, shape(32, 32, 32)), "column-major", {"B·A"});
}

TEST(Diagnosis, finds_the_wrong_dimension_that_every_square_forgives) {
  const Kernel inner = loops([](int M, int, int) { return M; }, kA, kB, kC);
  expect(judged(inner), "wrong-dimension", {"inner dimension ran to M instead of N"},
         {"must run to N, which is 47"});
  expect(judged(inner), "wrong-dimension", {"Right"}, {});
  const Kernel a_stride = loops(
      kInner, [](int i, int l, int, int, int K) { return i * K + l; }, kB, kC);
  expect(judged(a_stride), "wrong-dimension",
         {"Right for every square", "A had rows of K elements instead of N"},
         {"A[row*N + inner], but A[row*K + inner]"});
  const Kernel b_stride = loops(
      kInner, kA, [](int l, int j, int M, int, int) { return l * M + j; }, kC);
  expect(judged(b_stride), "wrong-dimension", {"B had rows of M elements instead of K"});
  const Kernel c_stride = loops(kInner, kA, kB, [](int i, int j, int, int N, int) { return i * N + j; });
  expect(judged(c_stride), "wrong-dimension", {"C had rows of N elements instead of K"});
  // M, N, K as BLAS means them: C has N columns and K is the inner dimension.
  const Kernel blas = [](const float* A, const float* B, float* C, int M, int N, int K) {
    right_kernel(A, B, C, M, K, N);
  };
  expect(judged(blas), "wrong-dimension",
         {"Right for every square", "M rows, K terms in each sum and N columns"}, {"BLAS"});
}

TEST(Diagnosis, says_where_sums_end_too_early) {
  const Kernel tail = with_terms([](int l, int N) { return l < N / 8 * 8; });
  expect(judged(tail), "inner-tail",
         {"Right where N is a multiple of 8", "from inner index 40 on are missing"}, {"whole steps"});
  // One term is left over: the other shapes tell that it is the rest of a step.
  expect(judged(tail, shape(16, 33, 48)), "inner-tail", {"last term"}, {"or 8 below N=33"});
  const Kernel last = with_terms([](int l, int N) { return l < N - 1; });
  expect(judged(last), "inner-off-by-one", {"last term of each sum (inner index 46) is missing"},
         {"not < N-1"});
  const Kernel first = with_terms([](int l, int) { return l > 0; });
  expect(judged(first), "inner-off-by-one", {"first term of each sum"}, {"begin at 0"});
}

TEST(Diagnosis, knows_steps_that_replace_the_sum_and_partial_sums_that_are_lost) {
  const Kernel replaced = with_terms([](int l, int N) { return l >= (N - 1) / 16 * 16; });
  expect(judged(replaced), "inner-last-tile", {"from inner index 32 on"}, {"keep the sum"});
  const Kernel assigned = with_terms([](int l, int N) { return l == N - 1; });
  expect(judged(assigned), "inner-last-tile", {"only the last term"}, {"= where +="});
  const Kernel lanes = with_terms([](int l, int) { return l % 4 == 1; });
  expect(judged(lanes), "inner-strided", {"every 4th term", "1, 5, ..."});
  const Kernel middle = with_terms([](int l, int) { return l >= 11; });
  expect(judged(middle), "inner-head", {"before inner index 11 are missing"});
}

TEST(Diagnosis, finds_terms_that_count_twice) {
  Parts parts;
  parts.terms = [](int N) {
    std::vector<int> all;
    for (int l = 0; l < N; ++l) all.push_back(l);
    for (int l = N / 8 * 8; l < N; ++l) all.push_back(l);
    return all;
  };
  expect(judged(parts), "inner-twice", {"from inner index 40 to 46 are counted twice"},
         {"not a multiple of 8"});
  parts.terms = [](int N) {
    std::vector<int> all;
    for (int l = 0; l < N / 16 * 16; ++l) all.push_back(l);
    for (int l = std::max(0, N - 16); l < N && N % 16; ++l) all.push_back(l);
    return all;
  };
  expect(judged(parts), "inner-twice", {"term at inner index 31 is counted twice"});
}

TEST(Diagnosis, finds_factors_offsets_and_constants) {
  expect(judged(with_values([](int, int, float sum) { return 2 * sum; })), "scaled",
         {"2 times what is right"}, {"added 2 times"});
  expect(judged(with_values([](int, int, float sum) { return -sum; })), "scaled", {"-1 times"}, {"sign"});
  expect(judged(with_values([](int, int, float sum) { return sum + 1; })), "offset", {"1 too large"},
         {"begin at 0"});
  expect(judged(with_values([](int, int, float) { return 0.0f; })), "zeros", {"0 everywhere"});
  expect(judged(with_values([](int, int, float) { return 7.0f; })), "constant", {"every element of C is 7"});
}

TEST(Diagnosis, finds_right_values_in_wrong_places) {
  const Kernel shifted = loops(kInner, kA, kB, [](int i, int j, int, int, int K) { return i * K + j + 1; });
  expect(judged(shifted), "shifted", {"one column too far on"}, {"count from 0"});
  const Kernel turned = loops(kInner, kA, kB, [](int i, int j, int, int, int K) {
    return (i / 16 * 16 + j % 16) * K + j / 16 * 16 + i % 16;
  });
  expect(judged(turned, shape(32, 24, 48)), "tile-transposed", {"16×16 tile"}, {"threadIdx"});
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
  expect(d, "reduced-precision", {"Right for small integers", "9000 roundings", "M=64, N=256, K=64"},
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
