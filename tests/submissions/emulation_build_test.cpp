// GPU code compiled for this processor: what becomes of it, and how g++'s words are put.

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "submissions/build/emulate.h"
#include "tests/scratch.h"

namespace gemmlab::submissions {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kKernel =
    "__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {\n"
    "  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (row >= M || col >= K) return;\n"
    "  float sum = 0;\n"
    "  for (int i = 0; i < N; ++i) sum += A[row * N + i] * B[i * K + col];\n"
    "  C[row * K + col] = sum;\n"
    "}\n";
const std::string kSolve =
    "extern \"C\" void solve(const float* A, const float* B, float* C, int M, int N, int K) {\n"
    "  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);\n"
    "}\n";

class EmulationBuildTest : public test::ScratchFolder {
 protected:
  void SetUp() override {
    test::ScratchFolder::SetUp();
    std::string pattern = (std::filesystem::temp_directory_path() / "gemmlab-build-XXXXXX").string();
    scratch_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override {
    std::filesystem::remove_all(scratch_);
    test::ScratchFolder::TearDown();
  }
  Build built(const std::string& text) {
    return build(read_submission(write("mine.cu", text)), rule_, scratch_, {"", false, true});
  }
  static bool has_nvcc() { return !find_toolchain(Device::kGpu).nvcc.empty(); }

  std::string scratch_;
  Rule rule_;
};

TEST_F(EmulationBuildTest, a_right_file_becomes_a_library_with_solve_and_the_emulator) {
  const Build result = built(kKernel + kSolve);
  ASSERT_TRUE(result.ok) << result.reason;
  EXPECT_EQ(result.not_emulated, "");
  EXPECT_EQ(result.library, "");
  EXPECT_TRUE(result.messages.empty()) << result.messages.front().text;
  void* library = ::dlopen(result.emulated_library.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  for (const char* name : {"solve", "gemmlab_emulation_begin", "gemmlab_emulation_report", "cudaMemcpy",
                           "gemmlab_refused_bytes"})
    EXPECT_NE(::dlsym(library, name), nullptr) << name;
  ::dlclose(library);
}

TEST_F(EmulationBuildTest, the_code_of_a_card_is_listed_where_nvcc_and_cuobjdump_are) {
  ASSERT_TRUE(built(kKernel + kSolve).ok);
  const CardCode code =
      card_code(read_submission(write("mine.cu", kKernel + kSolve)), rule_, scratch_, "90a");
  const Toolchain tools = find_toolchain(Device::kGpu);
  if (tools.nvcc.empty() || tools.cuobjdump.empty()) {
    EXPECT_EQ(code.sass, "");
    GTEST_SKIP() << "nvcc or cuobjdump is not here";
  }
  ASSERT_EQ(code.kernels.size(), 1U);
  EXPECT_EQ(code.kernels[0].name, "multiply");
  EXPECT_GT(code.kernels[0].registers, 0);
  EXPECT_THAT(code.sass, HasSubstr("Function : _Z8multiplyPKfS0_Pfiii"));
  EXPECT_THAT(code.sass, HasSubstr("FFMA"));
  EXPECT_FALSE(std::filesystem::exists(scratch_ + "/card.cubin"));
}

TEST_F(EmulationBuildTest, a_text_that_changed_since_has_no_code_of_a_card) {
  Submission submission = read_submission(write("mine.cu", kKernel + kSolve));
  submission.sha256 = "";
  EXPECT_EQ(card_code(submission, rule_, scratch_, "90a").sass, "");
}

TEST_F(EmulationBuildTest, what_the_student_misspelt_is_named_at_its_line) {
  const Build result = built(kKernel + "int x = undeclared;\n" + kSolve);
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.reason, HasSubstr("line 8: "));
  EXPECT_THAT(result.reason, HasSubstr("undeclared"));
}

TEST_F(EmulationBuildTest, neither_a_missing_extern_c_nor_another_signature_is_taken) {
  EXPECT_THAT(built(kKernel + kSolve.substr(11)).reason, HasSubstr("C++ function"));
  EXPECT_THAT(built("\nextern \"C\" void solve(float* A, int N) { A[0] = N; }\n").reason,
              HasSubstr("line 2: solve has another signature"));
}

TEST_F(EmulationBuildTest, a_solve_that_is_a_kernel_is_refused) {
  EXPECT_EQ(built("extern \"C\" __global__ " + kSolve.substr(11, kSolve.find('{') - 11) +
                  "{ C[0] = A[0] * B[0] * M; }\n")
                .reason,
            "solve is a kernel (__global__)");
  EXPECT_FALSE(solve_is_a_kernel("// __global__ void solve(\n" + kKernel + kSolve));
  EXPECT_TRUE(solve_is_a_kernel("__global__ void __launch_bounds__(256)\n  /* host */ solve (float* A) {}"));
}

TEST_F(EmulationBuildTest, inline_ptx_that_is_not_run_is_no_mistake) {
  const Build result = built(
      "__device__ int lane() {\n  int lane;\n  asm(\"tcgen05.what.b32 %0;\" : \"=r\"(lane));\n"
      "  return lane;\n}\n" +
      kKernel + kSolve);
  EXPECT_TRUE(result.ok) << result.reason;
  EXPECT_EQ(result.emulated_library, "");
  EXPECT_EQ(result.not_emulated, "line 3: inline PTX (tcgen05.what.b32) cannot be run without a GPU");
}

TEST_F(EmulationBuildTest, a_word_of_cuda_that_the_emulator_lacks_is_no_mistake) {
  EXPECT_EQ(
      built(kKernel + "void f() { cudaGraphicsMapResources(1, nullptr, nullptr); }\n" + kSolve).not_emulated,
      "line 8: cudaGraphicsMapResources cannot be run without a GPU");
  EXPECT_EQ(built("#include <cub/device/device_radix_sort.cuh>\n" + kKernel + kSolve).not_emulated,
            "line 1: <cub/device/device_radix_sort.cuh> cannot be run without a GPU");
}

TEST_F(EmulationBuildTest, a_header_of_the_hardware_is_named_unless_the_rule_forbids_it) {
  const std::string text = "#include <cublas_v2.h>\n" + kKernel + kSolve;
  EXPECT_EQ(built(text).not_emulated, "line 1: <cublas_v2.h> cannot be run without a GPU");
  rule_.forbidden_headers = {"cublas"};
  const Build result = built(text);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.reason, "it includes cublas_v2.h, which the rule forbids");
}

TEST_F(EmulationBuildTest, registers_are_known_where_nvcc_is) {
  if (!has_nvcc()) GTEST_SKIP() << "nvcc is not here";
  const Build result = built(kKernel + kSolve);
  ASSERT_EQ(result.kernels.size(), 1u);
  EXPECT_EQ(result.kernels[0].name, "multiply");
  EXPECT_GT(result.kernels[0].registers, 0);
}

TEST_F(EmulationBuildTest, a_kernel_that_launches_kernels_is_what_nvcc_takes) {
  if (!has_nvcc()) GTEST_SKIP() << "nvcc is not here";
  const Build result = built(
      kKernel + "__global__ void parent(float* C) { multiply<<<1, 32>>>(C, C, C, 1, 1, 1); }\n" + kSolve);
  EXPECT_TRUE(result.ok) << result.reason;
  EXPECT_NE(result.command.find("nvcc -rdc=true "), std::string::npos) << result.command;
  EXPECT_EQ(result.kernels.size(), 2u);
  EXPECT_EQ(built(kKernel + kSolve).command.find("-rdc"), std::string::npos);
}

TEST(EmulationMessages, the_first_thing_that_no_emulator_runs_is_named_with_its_line) {
  const std::string rewritten = "int a;\nvoid f() { gemmlab_cannot_be_run_without_a_GPU(\"inline PTX\"); }\n";
  const CompilerMessage asm_error{"error", 2, 12,
                                  "'gemmlab_cannot_be_run_without_a_GPU' was not declared in this scope"};
  const CompilerMessage header{"error", 1, 2, "\"<mma.h> cannot be run without a GPU\" (in mma.h)"};
  const CompilerMessage other{"error", 1, 1, "expected ';'"};
  EXPECT_EQ(cannot_be_emulated({other, asm_error, header}, rewritten),
            "line 2: inline PTX cannot be run without a GPU");
  EXPECT_EQ(cannot_be_emulated({header}, rewritten), "line 1: <mma.h> cannot be run without a GPU");
  EXPECT_EQ(cannot_be_emulated({other}, rewritten), "");
  EXPECT_EQ(refused_header(header), "mma.h");
  EXPECT_EQ(refused_header(other), "");
}

TEST(EmulationMessages, show_nothing_of_the_emulators_own_names) {
  std::vector<CompilerMessage> messages{
      {"error", 3, 1, "cannot convert 'gemmlab::emulation::Half' to 'int'"},
      {"error", 4, 1,
       "no matching function for call to 'gemmlab::emulation::Configuration::Configuration(float*, int)'"}};
  put_in_cuda_words(messages);
  EXPECT_EQ(messages[0].text, "cannot convert 'Half' to 'int'");
  EXPECT_THAT(messages[1].text, HasSubstr("between <<< and >>>"));
  for (const CompilerMessage& message : messages)
    EXPECT_THAT(message.text, AllOf(Not(HasSubstr("emulation")), Not(HasSubstr("emulator"))));
}

}  // namespace
}  // namespace gemmlab::submissions
