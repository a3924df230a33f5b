#include "submissions/build/build.h"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <stdexcept>

#include "core/records/point.h"
#include "submissions/build/commands.h"
#include "tests/scratch.h"

namespace gemmlab::submissions {
namespace {

using ::testing::HasSubstr;

const std::string kSignature =
    "extern \"C\" void solve(const float* A, const float* B, float* C, int M, int N, int K) {\n";
const std::string kBody =
    "  for (int i = 0; i < M; ++i)\n"
    "    for (int j = 0; j < K; ++j) {\n"
    "      C[i * K + j] = 0;\n"
    "      for (int l = 0; l < N; ++l) C[i * K + j] += A[i * N + l] * B[l * K + j];\n"
    "    }\n"
    "}\n";

class BuildTest : public test::ScratchFolder {
 protected:
  void SetUp() override {
    test::ScratchFolder::SetUp();
    // Right below the folder for temporary files: the compiler's user must get there.
    std::string pattern = (std::filesystem::temp_directory_path() / "gemmlab-build-XXXXXX").string();
    scratch_ = ::mkdtemp(pattern.data());
    rule_.forbidden_headers = {"Eigen/", "cblas.h"};
  }
  void TearDown() override {
    std::filesystem::remove_all(scratch_);
    test::ScratchFolder::TearDown();
  }
  Build built(const std::string& name, const std::string& text) {
    return build(read_submission(write(name, text)), rule_, scratch_, {});
  }
  /// Every text of a build for people.
  static std::string said(const Build& build) {
    std::string all = build.reason + "\n" + build.hint + "\n" + build.command + "\n";
    for (const CompilerMessage& message : build.messages) all += message.text + "\n";
    return all;
  }

  std::string scratch_;
  Rule rule_;
};

TEST_F(BuildTest, a_right_file_becomes_a_library_whose_solve_multiplies) {
  const Build result = built("mine.cpp", kSignature + kBody);
  ASSERT_TRUE(result.ok) << said(result);
  EXPECT_EQ(result.reason, "");
  EXPECT_TRUE(result.messages.empty()) << said(result);
  EXPECT_THAT(result.command, HasSubstr("g++ -std=c++20 -O3 -march=native -fopenmp"));
  EXPECT_THAT(result.command, HasSubstr(" mine.cpp "));
  void* library = ::dlopen(result.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  const auto solve = reinterpret_cast<void (*)(const float*, const float*, float*, int, int, int)>(
      ::dlsym(library, "solve"));
  const float a[] = {1, 2, 3};
  const float b[] = {4, 5, 6};
  float c = 0;
  solve(a, b, &c, 1, 3, 1);
  EXPECT_EQ(c, 32);
  ::dlclose(library);
}

TEST_F(BuildTest, the_shim_notes_the_bytes_that_were_refused) {
  const Build result =
      built("greedy.cpp", "#include <sys/mman.h>\n#include <cstdlib>\n" + kSignature +
                              "  (void)A; (void)B; (void)N; (void)K;\n"
                              "  if (M == 1) C[0] = ::mmap(nullptr, 1ul << 50, PROT_READ, MAP_PRIVATE | "
                              "MAP_ANONYMOUS, -1, 0) == MAP_FAILED;\n"
                              "  if (M == 2) { volatile std::size_t n = 1ul << 51; void* p = std::malloc(n); "
                              "C[0] = p == nullptr; std::free(p); }\n}\n");
  ASSERT_TRUE(result.ok) << said(result);
  void* library = ::dlopen(result.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  const auto solve = reinterpret_cast<void (*)(const float*, const float*, float*, int, int, int)>(
      ::dlsym(library, "solve"));
  const auto* refused =
      static_cast<const volatile unsigned long long*>(::dlsym(library, "gemmlab_refused_bytes"));
  ASSERT_NE(refused, nullptr);
  EXPECT_EQ(*refused, 0u);
  float c = 0;
  solve(nullptr, nullptr, &c, 1, 1, 1);
  EXPECT_EQ(c, 1);
  EXPECT_EQ(*refused, 1ull << 50);
#ifndef __SANITIZE_ADDRESS__  // its malloc ends the program instead
  solve(nullptr, nullptr, &c, 2, 1, 1);
  EXPECT_EQ(*refused, 1ull << 51);
#endif
  ::dlclose(library);
}

TEST_F(BuildTest, a_syntax_error_is_named_with_its_line) {
  const Build result = built("mine.cpp", kSignature + "  C[0] = A[0] * B[0] * M * N * K\n}\n");
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.reason, HasSubstr("line 2: expected ';'"));
  EXPECT_THAT(result.hint, HasSubstr("semicolon"));
  EXPECT_EQ(said(result).find(scratch_), std::string::npos) << said(result);
  EXPECT_EQ(result.library, "");
}

TEST_F(BuildTest, a_file_outside_the_toolchain_is_refused_with_its_name_whoever_reads_it) {
  // the sandbox shows this one to every program: only the lists of what was read tell
  const Build included = built("mine.cpp", "#include \"/dev/null\"\n" + kSignature + kBody);
  EXPECT_EQ(included.reason, "it includes /dev/null, which lies outside the compiler's own folders");
  EXPECT_THAT(included.hint, HasSubstr("in one file"));
  const Build assembled = built("mine.cpp", "asm(\".include \\\"/dev/null\\\"\");\n" + kSignature + kBody);
  EXPECT_EQ(assembled.reason, included.reason);
}

TEST_F(BuildTest, a_warning_does_not_stop_the_build) {
  const Build result = built("mine.cpp", kSignature + "  int unused = 3;\n" + kBody);
  EXPECT_TRUE(result.ok) << said(result);
  ASSERT_EQ(result.messages.size(), 1u) << said(result);
  EXPECT_EQ(result.messages[0].kind, "warning");
  EXPECT_EQ(result.messages[0].line, 2);
  EXPECT_THAT(result.messages[0].text, HasSubstr("unused"));
}

TEST_F(BuildTest, a_solve_without_extern_c_is_told_so) {
  const Build result = built("mine.cpp", kSignature.substr(11) + kBody);
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.reason, HasSubstr("C++ function"));
  EXPECT_THAT(result.hint, HasSubstr("extern \"C\" void solve(const float* A"));
}

TEST_F(BuildTest, a_file_without_solve_is_told_so) {
  const Build result = built("mine.cpp", "int main() { return 0; }\n");
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.reason, "no function solve");
}

TEST_F(BuildTest, another_signature_is_refused_at_its_line) {
  for (const char* parameters : {"float* A, float* B, float* C, int M, int N, int K",
                                 "const float* A, const float* B, float* C, int N",
                                 "const double* A, const float* B, float* C, int M, int N, int K",
                                 "const float* A, const float* B, float* C, long M, long N, long K"}) {
    const Build result = built("mine.cpp", std::string("\nextern \"C\" void solve(") + parameters +
                                               ") { C[0] = A[0] * B[0] * N; }\n");
    EXPECT_FALSE(result.ok) << parameters;
    EXPECT_THAT(result.reason, HasSubstr("line 2: solve has another signature")) << parameters;
    EXPECT_THAT(result.hint, HasSubstr("extern \"C\" void solve(const float* A")) << parameters;
  }
}

TEST_F(BuildTest, the_signature_may_be_written_in_other_words) {
  for (const char* head :
       {"extern \"C\" void solve(const float* __restrict__ a, float const* b, float* const c, const int m, "
        "int n, "
        "const int k) noexcept",
        "extern \"C\" void solve(const float a[], const float b[], float c[], int m, int n, int k);\n"
        "extern \"C\" void solve(const float* a, const float* b, float* c, int m, int n, int k)"}) {
    const Build result = built("mine.cpp", std::string(head) + " { c[0] = a[0] * b[0] * m * n * k; }\n");
    EXPECT_TRUE(result.ok) << said(result);
    EXPECT_TRUE(result.messages.empty()) << said(result);
  }
}

TEST_F(BuildTest, a_call_of_a_blas_is_not_linked) {
  const Build result = built("mine.cpp", "extern \"C\" void cblas_sgemm(int);\n" + kSignature +
                                             "  C[0] = A[0] * B[0] * M * N * K;\n  cblas_sgemm(3);\n}\n");
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.reason, "line 4: undefined reference to 'cblas_sgemm'");
  EXPECT_THAT(result.hint, HasSubstr("no library is linked"));
}

TEST_F(BuildTest, a_forbidden_header_is_refused_whether_it_is_there_or_not) {
  rule_.forbidden_headers = {"no_such_library/", "csetjmp"};
  const Build missing = built("a.cpp", "#include <no_such_library/gemm.h>\n" + kSignature + kBody);
  EXPECT_FALSE(missing.ok);
  EXPECT_EQ(missing.reason, "it includes no_such_library/gemm.h, which the rule forbids");
  const Build present = built("b.cpp", "#include <csetjmp>\n" + kSignature + kBody);
  EXPECT_FALSE(present.ok);
  EXPECT_EQ(present.reason, "it includes csetjmp, which the rule forbids");
  rule_.forbidden_headers.clear();
  EXPECT_TRUE(built("b.cpp", "#include <csetjmp>\n" + kSignature + kBody).ok);
}

TEST_F(BuildTest, an_endless_compilation_is_ended) {
  rule_.limits.build_s = 2;
  const Build result = built("mine.cpp",
                             "template <int D, long P> struct T { static constexpr long v = T<D - 1, 2 * "
                             "P>::v + T<D - 1, 2 * P + 1>::v; };\n"
                             "template <long P> struct T<0, P> { static constexpr long v = P; };\n"
                             "long x = T<40, 1>::v;\n");
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.reason, "the compiler took over 2 s");
}

TEST_F(BuildTest, endless_and_odd_includes_only_fail) {
  rule_.limits.build_s = 3;
  for (const char* file : {"/dev/zero", "/dev/stdin", "/etc/shadow", "/", "mine.cpp", "/proc/self/mem"}) {
    const Build result = built("mine.cpp", std::string("#include \"") + file + "\"\n");
    EXPECT_FALSE(result.ok) << file;
    EXPECT_FALSE(result.reason.empty()) << file;
  }
}

TEST_F(BuildTest, a_library_beyond_the_limit_of_files_is_refused) {
  const Build result = built("mine.cpp", "char large[200000000] = {1};\n" + kSignature + kBody);
  EXPECT_FALSE(result.ok);
  EXPECT_FALSE(result.reason.empty());
}

TEST_F(BuildTest, odd_names_of_files_reach_neither_a_shell_nor_the_options) {
  for (const char* name : {"-o x.cpp", "a b;touch pwned.cpp", "$(touch pwned).cpp", "\u00fcbung.cpp"}) {
    const Build result = built(name, kSignature + "  int unused = 3;\n" + kBody);
    EXPECT_TRUE(result.ok) << name << ": " << said(result);
    ASSERT_EQ(result.messages.size(), 1u) << name;
    EXPECT_EQ(result.messages[0].line, 2) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(scratch_ + "/pwned"));
}

TEST_F(BuildTest, a_file_that_changed_since_it_was_read_is_not_built) {
  const Submission submission = read_submission(write("mine.cpp", kSignature + kBody));
  write("mine.cpp", "something else");
  const Build result = build(submission, rule_, scratch_, {});
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.reason, HasSubstr("changed"));
}

TEST_F(BuildTest, cuda_files_are_built_and_their_kernels_reported) {
  if (find_toolchain(Device::kGpu).nvcc.empty()) GTEST_SKIP() << "nvcc is not here";
  const std::string kernel =
      "template <int TILE> __global__ void tiled(float* C) {\n"
      "  __shared__ float s[TILE];\n  s[threadIdx.x] = C[threadIdx.x];\n  __syncthreads();\n"
      "  C[threadIdx.x] = s[TILE - 1 - threadIdx.x];\n}\n";
  const std::string launch =
      "  tiled<32><<<1, 32>>>(C);\n  (void)A; (void)B; (void)M; (void)N; (void)K;\n}\n";
  const Build right = built("mine.cu", kernel + kSignature + launch);
  ASSERT_TRUE(right.ok) << said(right);
  ASSERT_EQ(right.kernels.size(), 1u);
  EXPECT_EQ(right.kernels[0].name, "tiled<32>");
  EXPECT_GT(right.kernels[0].registers, 0);
  EXPECT_EQ(right.kernels[0].static_shared_bytes, 128);
  const Build wrong = built("mine.cu", kernel + kSignature + "  undeclared(3);\n" + launch);
  EXPECT_FALSE(wrong.ok);
  EXPECT_THAT(wrong.reason, HasSubstr("line 8: identifier \"undeclared\" is undefined"));
  const Build other = built("mine.cu", "extern \"C\" void solve(float* A, int N) { A[0] = N; }\n");
  EXPECT_FALSE(other.ok);
  EXPECT_THAT(other.reason, HasSubstr("line 1: solve has another signature"));
}

TEST_F(BuildTest, a_solve_that_is_a_kernel_is_refused) {
  if (find_toolchain(Device::kGpu).nvcc.empty()) GTEST_SKIP() << "nvcc is not here";
  const Build result = built("mine.cu", "extern \"C\" __global__ " + kSignature.substr(11) +
                                            "  C[0] = A[0] * B[0] * M * N * K;\n}\n");
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.reason, "solve is a kernel (__global__)");
}

}  // namespace
}  // namespace gemmlab::submissions
