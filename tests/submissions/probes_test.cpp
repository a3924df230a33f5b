// What probes say of kernels with one fault each, run here, and what is read from their sources.

#include "submissions/diagnosis/probes.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "submissions/build/nvcc_errors.h"
#include "submissions/diagnosis/shapes.h"
#include "submissions/judge/explaining/shared_variables.h"
#include "tests/submissions/diagnosis_support.h"

namespace gemmlab::submissions {
namespace {

using planted::Kernel;
using testing::HasSubstr;

ProbeCall probing(const Kernel& kernel, const Shape& shape) {
  return [kernel, shape](const std::vector<float>& a, const std::vector<float>& b) {
    std::vector<float> c(static_cast<std::size_t>(shape.c_count()), std::bit_cast<float>(kPoisonC));
    kernel(a.data(), b.data(), c.data(), static_cast<int>(shape.m), static_cast<int>(shape.k),
           static_cast<int>(shape.n));
    return std::optional(c);
  };
}

/// Pattern and sentence; "" where nothing is found.
std::string terms(const Kernel& kernel, const Shape& shape = planted::shape(20, 100, 17)) {
  const auto found = counted_terms(shape, probing(kernel, shape));
  return found ? found->pattern + ": " + found->summary + " " + found->hint : "";
}

std::string places(const Kernel& kernel, const Shape& shape = planted::shape(40, 48, 56)) {
  const ProbeCall call = probing(kernel, shape);
  auto found = places_of_sums(shape, call);
  if (!found) found = places_of_terms(shape, call);
  return found ? found->pattern + ": " + found->summary : "";
}

/// Each term k of each sum so many times.
template <typename Times>
Kernel weighted(Times times) {
  return [times](const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < K; ++j) {
        float sum = 0;
        for (int k = 0; k < N; ++k) sum += static_cast<float>(times(k, N)) * A[i * N + k] * B[k * K + j];
        C[i * K + j] = sum;
      }
  };
}

/// The product, of A(i, k) and B(k, j) as they are read.
template <typename OfA, typename OfB>
Kernel reading(OfA of_a, OfB of_b) {
  return [of_a, of_b](const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < K; ++j) {
        float sum = 0;
        for (int k = 0; k < N; ++k) {
          const auto [a_row, a_col] = of_a(i, k);
          const auto [b_row, b_col] = of_b(k, j);
          const bool inside = a_row < M && a_col < N && b_row < N && b_col < K;
          sum += inside ? A[a_row * N + a_col] * B[b_row * K + b_col] : 0;
        }
        C[i * K + j] = sum;
      }
  };
}

std::pair<int, int> as_is(int i, int j) {
  return {i, j};
}

TEST(Probes, say_nothing_of_a_right_kernel) {
  EXPECT_EQ(terms(planted::right_kernel), "");
  EXPECT_EQ(places(planted::right_kernel), "");
}

TEST(Probes, tell_a_term_that_stands_twice_from_one_that_is_lost) {
  const std::string said = terms(weighted([](int k, int N) {
    return k / 4 * 4 + 4 > N || k % 4 < 2 ? 1 : k % 4 == 2 ? 2 : 0;
  }));
  EXPECT_THAT(said, HasSubstr("inner-mixed"));
  EXPECT_THAT(said, HasSubstr("3, 7, 11, ... (every 4th) are missing"));
  EXPECT_THAT(said, HasSubstr("2, 6, 10, ... (every 4th) are counted twice"));
  EXPECT_THAT(said, HasSubstr("k + 2 instead of k + 3"));
}

TEST(Probes, tell_where_steps_of_the_inner_loop_overlap) {
  const std::string said = terms(weighted([](int k, int) { return k < 32 ? 1 : 2; }));
  EXPECT_THAT(said, HasSubstr("inner-twice"));
  EXPECT_THAT(said, HasSubstr("the inner indices from 32 on are counted twice"));
}

TEST(Probes, tell_single_lost_terms_and_stretches) {
  EXPECT_THAT(terms(weighted([](int k, int) { return k == 40 ? 0 : 1; })),
              HasSubstr("of each sum inner index 40 is missing"));
  EXPECT_THAT(terms(weighted([](int k, int) { return k >= 16 && k < 20 ? 0 : 1; })),
              HasSubstr("of each sum the inner indices 16 to 19 are missing"));
  EXPECT_THAT(terms(weighted([](int k, int) { return k % 16 == 15 ? 0 : 1; })), HasSubstr("inner-strided"));
}

TEST(Probes, leave_factors_and_empty_sums_to_the_values) {
  EXPECT_EQ(terms(weighted([](int, int) { return 2; })), "");
  EXPECT_EQ(terms(weighted([](int, int) { return 0; })), "");
}

TEST(Probes, tell_rows_and_columns_that_stand_in_other_places) {
  const auto rows = [](const float* A, const float* B, float* C, int M, int N, int K) {
    std::vector<float> right(static_cast<std::size_t>(M * K));
    planted::right_kernel(A, B, right.data(), M, N, K);
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < K; ++j) C[(i ^ 1) * K + j] = right[static_cast<std::size_t>(i * K + j)];
  };
  EXPECT_THAT(
      places(rows),
      HasSubstr(
          "rows-moved: At M = 40, N = 48, K = 56 row 0 of C holds row 1 of A·B, row 1 of C holds row 0"));
  const auto columns = [](const float* A, const float* B, float* C, int M, int N, int K) {
    std::vector<float> right(static_cast<std::size_t>(M * K));
    planted::right_kernel(A, B, right.data(), M, N, K);
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < K; ++j) C[i * K + (j + 3) % K] = right[static_cast<std::size_t>(i * K + j)];
  };
  EXPECT_THAT(places(columns), HasSubstr("columns-moved"));
}

TEST(Probes, tell_tiles_that_are_used_transposed) {
  const auto swapped = [](int i, int j) { return std::pair(i / 8 * 8 + j % 8, j / 8 * 8 + i % 8); };
  EXPECT_THAT(places(reading(as_is, swapped)),
              HasSubstr("tile-read-transposed: At M = 40, N = 48, K = 56 each 8×8 tile of B"));
  EXPECT_THAT(places(reading(swapped, as_is)), HasSubstr("each 8×8 tile of A is used transposed"));
}

TEST(Probes, name_an_element_that_does_not_belong_there) {
  const auto next = [](int k, int j) { return std::pair(k, j ^ 1); };
  EXPECT_THAT(places(reading(as_is, [](int k, int j) { return std::pair(k, j / 2 * 2); })),
              testing::AnyOf(HasSubstr("columns-moved"), HasSubstr("wrong-element")));
  EXPECT_THAT(places(reading(as_is, next)), HasSubstr("columns-moved"));
  EXPECT_THAT(places(reading(as_is, [](int k, int j) { return std::pair(k == 16 ? 17 : k, j); })),
              HasSubstr("wrong-element"));
}

TEST(Probes, say_nothing_where_no_call_comes_back) {
  const ProbeCall none = [](const auto&, const auto&) { return std::nullopt; };
  EXPECT_FALSE(counted_terms({20, 20, 20}, none).has_value());
  EXPECT_FALSE(places_of_sums({20, 20, 20}, none).has_value());
  EXPECT_FALSE(places_of_terms({20, 20, 20}, none).has_value());
}

TEST(ShapePatterns, tell_one_remainder_from_a_size) {
  std::vector<ShapeOutcome> outcomes;
  for (const int N : {1, 2, 7, 16, 17, 32, 33, 48, 64, 65, 129, 200})
    outcomes.push_back({planted::shape(20, N, 30), N % 16 != 1});
  const ShapePattern pattern = shape_pattern(outcomes);
  EXPECT_EQ(pattern.pattern, "only-remainder");
  EXPECT_EQ(pattern.clause,
            "Wrong just where N is one more than a multiple of 16 (5 shapes), right for all 7 others");
  EXPECT_THAT(pattern.hint, HasSubstr("(N + 16 - 1) / 16 rounds up"));
}

TEST(ShapePatterns, name_all_dimensions_that_the_shapes_do_not_tell_apart) {
  std::vector<ShapeOutcome> outcomes;
  for (const int side : {8, 16, 24, 100, 120, 140})
    outcomes.push_back({planted::shape(side, side + 1, 5), side < 50});
  EXPECT_THAT(shape_pattern(outcomes).clause, HasSubstr("so it is with M at most 24, N at most 25"));
}

TEST(SharedVariables, are_named_with_their_lines) {
  EXPECT_EQ(shared_by_threads("void f(float* C, int M) {\n  float t = 0, s;\n#pragma omp parallel for\n"
                              "  for (int i = 0; i < M; ++i) {\n    s = 1;\n    C[i] = s;\n  }\n}\n"),
            "s (line 2) is declared outside of the parallel region of line 3, which sets it in line 5");
  EXPECT_EQ(shared_by_threads("void f(float* C, int M) {\n  float s;\n#pragma omp parallel for private(s)\n"
                              "  for (int i = 0; i < M; ++i) { s = 1; C[i] = s; }\n}\n"),
            "");
  EXPECT_EQ(shared_by_threads("void f(float* C, int M) {\n  int i;\n#pragma omp parallel for\n"
                              "  for (i = 0; i < M; ++i) { float s = 1; s += 2; C[i] = s; }\n}\n"),
            "");
  EXPECT_THAT(shared_by_threads("#include <thread>\nvoid f() {\n  for (int t = 0; t < 4; ++t)\n"
                                "    all.emplace_back([&] { work(t); });\n}\n"),
              HasSubstr("the lambda of line 4 takes t by reference ([&]), and the loop of line 3"));
  EXPECT_EQ(shared_by_threads("#include <thread>\nvoid f() {\n  for (int t = 0; t < 4; ++t)\n"
                              "    all.emplace_back([&, t] { work(t); });\n}\n"),
            "");
}

TEST(KeptVariables, are_those_that_outlive_a_call_and_can_change) {
  EXPECT_EQ(
      kept_variables("__device__ unsigned arrived;\nstatic const int T = 16;\nstatic float* work = nullptr;\n"
                     "static void f() {}\n__device__ float g(float x) { return x; }\n"),
      "arrived (line 1), work (line 3)");
}

TEST(Sums, that_nothing_has_set_are_named) {
  EXPECT_EQ(unset_sum("void f() {\n  float acc[2];\n  acc[0] += 1;\n}\n"),
            "acc (line 2) is added to in line 3, and nothing has set it before: it holds what lies there by "
            "chance.");
  EXPECT_EQ(
      unset_sum(
          "void f() {\n  float acc[2];\n  acc[0] = 0;\n  acc[0] += 1;\n  float sum = 0;\n  sum += 1;\n}\n"),
      "");
  EXPECT_EQ(arrays_at_one_address("extern __shared__ float a[];\nextern __shared__ float b[];\n__global__ "
                                  "void k() { a[0] = b[0]; }\n"),
            "a (line 1) and b (line 2)");
  EXPECT_EQ(
      arrays_at_one_address(
          "extern __shared__ float a[];\nextern __shared__ int b[];\n__global__ void k() { a[0] = 0; }\n"
          "__global__ void l() { b[0] = 0; }\n"),
      "");
}

TEST(Sums, are_found_by_line) {
  EXPECT_EQ(
      lines_of_sums("for (int k0 = 0; k0 < N; k0 += T) {\n  s += a[k] * b[k];\n  s = fmaf(x, y, s);\n}\n"),
      "lines 2 and 3");
  EXPECT_EQ(lines_of_sums("int main() { return 0; }"), "");
}

std::string error_of(const std::string& source) {
  const auto found = nvcc_error(source);
  return found ? std::to_string(found->line) + ": " + found->text : "";
}

TEST(NvccErrors, name_code_of_the_host_in_kernels) {
  EXPECT_EQ(error_of("float add(float x, float y) { return x + y; }\n__global__ void k(float* C) {\n  C[0] "
                     "= add(1, 2);\n}\n"),
            "3: calling a __host__ function(\"add\") from a __global__ function(\"k\") is not allowed");
  EXPECT_EQ(error_of("template <typename T>\nT twice(T x) { return 2 * x; }\n__device__ float d(float x) { "
                     "return twice<float>(x); }\n"),
            "3: calling a __host__ function(\"twice\") from a __device__ function(\"d\") is not allowed");
  EXPECT_EQ(error_of("int width = 16;\n__global__ void k(float* C) { C[width] = 0; }\n"),
            "2: identifier \"width\" is undefined in device code");
}

TEST(NvccErrors, name_operands_of_asm) {
  const auto of = [](const std::string& statement) {
    return error_of("__device__ int f(int x) {\n  int y;\n  " + statement + "\n  return y;\n}\n");
  };
  EXPECT_EQ(of("asm(\"mov.b32 %[to], %1;\" : [to] \"=r\"(y) : \"r\"(x));"),
            "3: nvcc takes operands of asm by number alone, %0 and %1, and not by name, %[name]");
  EXPECT_EQ(of("asm volatile(\"add.s32 %0, %0, 1;\"\n : \"=r\"(y) : \"0\"(x));"),
            "4: nvcc takes no asm operand that is tied to another, as by the constraint \"0\"");
  EXPECT_EQ(of("asm(\"mov.b32 %0, %1;\" : \"=r\"(y) : \"m\"(x));"),
            "3: asm constraint letter 'm' is not allowed inside a __device__/__global__ function");
  EXPECT_EQ(of("asm(\"mov.b32 %0, %1;\" : \"=r\"(y) : \"rf\"(x));"),
            "3: an asm operand may specify only one constraint letter in a __device__/__global__ function");
  EXPECT_EQ(of("asm(\"mov.b32 %0, %1;\" : \"r\"(y) : \"r\"(x));"),
            "3: an asm output operand must have one of the '=' or '+' modifiers");
  EXPECT_EQ(of("asm(\"mov.b32 %0, %1;\" : [to] \"=&r\"(y) : \"r\"(x) : \"memory\");"), "");
  EXPECT_EQ(error_of("void host(int x) { asm(\"\" : : \"m\"(x) : \"cc\"); }\n"), "");
}

TEST(NvccErrors, are_none_where_nvcc_takes_it) {
  EXPECT_EQ(
      error_of("constexpr int up(int x) { return x + 1; }\nconst int W = 16;\n__device__ float table[4];\n"
               "__host__ __device__ float add(float x) { return x; }\nint M = 3;\n"
               "__global__ void k(float* C, int M) { C[up(W)] = add(table[0]) + M; }\n"),
      "");
  EXPECT_EQ(error_of("int f(int x) { return x; }\nextern \"C\" void solve(float* C) { C[f(1)] = 0; }\n"), "");
}

/// Of kernels of this repository, all of which nvcc takes.
TEST(NvccErrors, are_none_in_any_kernel_of_ours) {
  const std::filesystem::path root = GEMMLAB_SOURCE_ROOT;
  int read = 0;
  for (const char* folder :
       {"submissions/examples/gpu", "tests/submissions/unusual_gpu", "tests/emulator/right",
        "tests/emulator/faults", "tests/submissions/attacks/gpu"}) {
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
      if (entry.path().extension() != ".cu") continue;
      std::ifstream file(entry.path());
      EXPECT_EQ(error_of(std::string{std::istreambuf_iterator<char>(file), {}}), "") << entry.path();
      ++read;
    }
  }
  EXPECT_GT(read, 50);
}

}  // namespace
}  // namespace gemmlab::submissions
