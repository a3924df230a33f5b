#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "gemmlab/functions.h"

namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StrEq;

/// Small integers, so that every order of summation gives the same.
struct Product {
  Product(int M, int N, int K)
      : M(M),
        N(N),
        K(K),
        A(M * K),
        B(K * N),
        C(M * N, std::numeric_limits<float>::quiet_NaN()),
        right(M * N) {
    for (int i = 0; i < M * K; ++i) A[i] = static_cast<float>(i * 7 % 11 - 5);
    for (int i = 0; i < K * N; ++i) B[i] = static_cast<float>(i * 5 % 13 - 6);
    for (int row = 0; row < M; ++row) {
      for (int col = 0; col < N; ++col) {
        for (int k = 0; k < K; ++k) right[row * N + col] += A[row * K + k] * B[k * N + col];
      }
    }
  }
  int by(const char* id, const char* parameters) {
    return gemmlab_multiply(id, parameters, A.data(), B.data(), C.data(), M, N, K);
  }
  int M, N, K;
  std::vector<float> A, B, C, right;
};

std::vector<std::string> ids(const std::string& device) {
  std::vector<std::string> found;
  for (int i = 0; i < gemmlab_count(); ++i) {
    if (std::string(gemmlab_id(i)).rfind(device, 0) == 0) found.emplace_back(gemmlab_id(i));
  }
  return found;
}

TEST(Api, every_cpu_implementation_that_is_here_multiplies) {
  int here = 0;
  for (const std::string& id : ids("cpu.")) {
    if (*gemmlab_unavailable(id.c_str()) != '\0') continue;
    ++here;
    Product product(17, 9, 23);
    EXPECT_EQ(product.by(id.c_str(), nullptr), GEMMLAB_OK) << id << ": " << gemmlab_error();
    EXPECT_EQ(product.C, product.right) << id;
    EXPECT_THAT(gemmlab_error(), StrEq(""));
  }
  EXPECT_GE(here, 5);  // our own
}

TEST(Api, there_is_a_function_for_each_implementation) {
  Product product(5, 6, 7);
  EXPECT_EQ(gemmlab_cpu_blocked(product.A.data(), product.B.data(), product.C.data(), 5, 6, 7), GEMMLAB_OK);
  EXPECT_EQ(product.C, product.right);
  // this one only where there is a GPU, whose memory the host's pointers are not
  if (*gemmlab_unavailable("gpu.tiled") != '\0') {
    EXPECT_EQ(gemmlab_gpu_tiled(product.A.data(), product.B.data(), product.C.data(), 5, 6, 7),
              GEMMLAB_UNAVAILABLE);
    EXPECT_THAT(gemmlab_error(), HasSubstr("gpu.tiled: "));
  }
}

TEST(Api, other_matrices_and_shapes_follow_each_other) {
  for (int round = 0; round < 3; ++round) {
    for (int side : {1, 2, 3, 5, 8, 13, 21, 34, 55, 60}) {  // more than are kept
      Product product(side, side + round, 2 * side);
      ASSERT_EQ(product.by("cpu.ikj", "threads=2"), GEMMLAB_OK);
      ASSERT_EQ(product.C, product.right) << side;
    }
  }
  gemmlab_release();
  Product product(4, 4, 4);
  EXPECT_EQ(product.by("cpu.ikj", "threads=2"), GEMMLAB_OK);
}

TEST(Api, parameters_are_taken_and_checked) {
  Product product(20, 20, 20);
  EXPECT_EQ(product.by("cpu.blocked", "block=16 isa=baseline"), GEMMLAB_OK);
  EXPECT_EQ(product.C, product.right);
  EXPECT_EQ(product.by("cpu.blocked", "block=17"), GEMMLAB_INVALID);
  EXPECT_THAT(gemmlab_error(), HasSubstr("16, 32, 64"));
  EXPECT_EQ(product.by("cpu.blocked", "blok=16"), GEMMLAB_INVALID);
  EXPECT_THAT(gemmlab_error(), HasSubstr("blok"));
  EXPECT_EQ(product.by("cpu.blocked", "16"), GEMMLAB_INVALID);
  EXPECT_THAT(gemmlab_error(), HasSubstr("name=value"));
}

TEST(Api, what_cannot_be_is_refused_in_words) {
  Product product(4, 4, 4);
  EXPECT_EQ(product.by("cpu.magic", nullptr), GEMMLAB_INVALID);
  EXPECT_THAT(gemmlab_error(), HasSubstr("'cpu.magic'"));
  EXPECT_EQ(product.by(nullptr, nullptr), GEMMLAB_INVALID);
  EXPECT_EQ(
      gemmlab_multiply("cpu.ikj", nullptr, product.A.data(), product.B.data(), product.C.data(), 4, 0, 4),
      GEMMLAB_INVALID);
  EXPECT_THAT(gemmlab_error(), HasSubstr("N = 0"));
  EXPECT_EQ(gemmlab_multiply("cpu.ikj", nullptr, nullptr, product.B.data(), product.C.data(), 4, 4, 4),
            GEMMLAB_INVALID);
  EXPECT_EQ(gemmlab_id(-1), nullptr);
  EXPECT_EQ(gemmlab_id(gemmlab_count()), nullptr);
  EXPECT_EQ(gemmlab_summary("cpu.magic"), nullptr);
  EXPECT_EQ(gemmlab_unavailable("cpu.magic"), nullptr);
  EXPECT_THAT(gemmlab_summary("cpu.serial"), HasSubstr("loop"));
}

TEST(Api, what_multiplies_other_types_is_no_implementation_of_the_list_and_refuses_float32) {
  EXPECT_THAT(ids("cpu."), Not(Contains("cpu.dot_pairs")));
  Product product(4, 4, 4);
  EXPECT_THAT(product.by("cpu.dot_pairs", nullptr), AnyOf(GEMMLAB_REFUSED, GEMMLAB_UNAVAILABLE));
  EXPECT_THAT(gemmlab_error(), HasSubstr("cpu.dot_pairs: "));
}

TEST(Api, solve_takes_the_inner_dimension_as_n) {
  ASSERT_EQ(setenv("GEMMLAB_SOLVE", "cpu.blocked block=32", 1), 0);
  Product product(6, 10, 14);
  solve(product.A.data(), product.B.data(), product.C.data(), 6, 14, 10);
  EXPECT_EQ(product.C, product.right);
  ASSERT_EQ(setenv("GEMMLAB_SOLVE", "cpu.magic", 1), 0);
  EXPECT_DEATH(solve(product.A.data(), product.B.data(), product.C.data(), 6, 14, 10),
               "solve\\(M=6, N=14, K=10\\) by cpu.magic: there is no implementation");
  unsetenv("GEMMLAB_SOLVE");
}

}  // namespace
