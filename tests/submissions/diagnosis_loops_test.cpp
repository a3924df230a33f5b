// Faults of loops and indices, known by the values that they leave.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "tests/submissions/diagnosis_support.h"

namespace gemmlab::submissions {
namespace {

using namespace planted;

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

}  // namespace
}  // namespace gemmlab::submissions
