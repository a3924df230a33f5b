// Texts as g++ 12 and CUDA 13 print them over files with planted faults.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "submissions/build/headers.h"
#include "submissions/build/kernels.h"
#include "submissions/build/messages.h"
#include "submissions/build/symbols.h"

namespace gemmlab::submissions {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kScratch = "/scratch";

std::vector<CompilerMessage> parsed(const std::string& output, const std::string& name) {
  return parse_messages(without_scratch(output, kScratch, kScratch + "/source/" + name, name), name);
}

/// "error 4:27 expected ';'".
std::vector<std::string> listed(const std::vector<CompilerMessage>& messages) {
  std::vector<std::string> found;
  for (const CompilerMessage& message : messages) {
    found.push_back(message.kind + " " + std::to_string(message.line) + ":" + std::to_string(message.column) +
                    " " + message.text);
  }
  return found;
}

TEST(BuildMessages, errors_of_gcc_have_line_and_column) {
  const std::string output =
      "/scratch/source/x.cpp: In function 'void solve(const float*, const float*, float*, int, int, int)':\n"
      "/scratch/source/x.cpp:4:27: error: expected \u2018;\u2019 before \u2018}\u2019 token\n"
      "/scratch/source/x.cpp:6:3: error: 'undeclared' was not declared in this scope\n"
      "/scratch/source/x.cpp:6:3: note: suggested alternative: 'declared'\n";
  EXPECT_THAT(listed(parsed(output, "x.cpp")),
              ElementsAre("error 4:27 expected ';' before '}' token",
                          "error 6:3 'undeclared' was not declared in this scope"));
  EXPECT_THAT(hint_for("expected ';' before '}' token"), HasSubstr("semicolon"));
}

TEST(BuildMessages, what_an_error_directive_says_is_the_message) {
  EXPECT_THAT(listed(parsed("/scratch/source/x.cu:3:2: error: #error multiply is missing\n", "x.cu")),
              ElementsAre("error 3:2 multiply is missing"));
  EXPECT_THAT(
      listed(parsed("/scratch/source/x.cu(3): error: #error directive: multiply is missing\n", "x.cu")),
      ElementsAre("error 3:0 multiply is missing"));
}

TEST(BuildMessages, warnings_of_gcc_are_no_errors) {
  const auto messages =
      parsed("/scratch/source/x.cpp:2:7: warning: unused variable 'unused' [-Wunused-variable]\n", "x.cpp");
  EXPECT_THAT(listed(messages), ElementsAre("warning 2:7 unused variable 'unused' [-Wunused-variable]"));
  EXPECT_EQ(first_error(messages), nullptr);
}

TEST(BuildMessages, an_error_in_a_header_gets_the_line_that_asked_for_it) {
  const std::string output =
      "In file included from /usr/include/c++/12/bits/stl_algobase.h:71,\n"
      "                 from /usr/include/c++/12/algorithm:60,\n"
      "                 from /scratch/source/x.cpp:1:\n"
      "/usr/include/c++/12/bits/predefined_ops.h: In instantiation of 'constexpr bool less()':\n"
      "/usr/include/c++/12/bits/stl_algo.h:4820:18:   required from 'constexpr void std::sort(_RAIter)'\n"
      "/scratch/source/x.cpp:6:12:   required from here\n"
      "/usr/include/c++/12/bits/predefined_ops.h:45:23: error: no match for 'operator<'\n"
      "/usr/include/c++/12/bits/stl_iterator.h:1185:5: note: candidate: 'template<class T> bool f(T)'\n"
      "/usr/include/c++/12/bits/predefined_ops.h:46:1: error: and without a template\n";
  EXPECT_THAT(listed(parsed(output, "x.cpp")),
              ElementsAre("error 6:0 no match for 'operator<' (in predefined_ops.h)",
                          "error 1:0 and without a template (in predefined_ops.h)"));
}

TEST(BuildMessages, the_linker_names_the_line_and_the_hint_that_no_library_is_there) {
  const std::string output =
      "/usr/bin/ld: /scratch/cc6ZO9xg.o: in function `solve':\n"
      "/scratch/source/x.cpp:4: undefined reference to `cblas_sgemm'\n"
      "/usr/bin/ld: /scratch/source/x.cpp:5: undefined reference to `cblas_dgemm'\n"
      "collect2: error: ld returned 1 exit status\n";
  EXPECT_THAT(listed(parsed(output, "x.cpp")), ElementsAre("error 4:0 undefined reference to 'cblas_sgemm'",
                                                           "error 5:0 undefined reference to 'cblas_dgemm'"));
  EXPECT_THAT(hint_for("undefined reference to 'cblas_sgemm'"), HasSubstr("no library is linked"));
}

TEST(BuildMessages, a_linkers_error_without_a_line_is_kept) {
  const auto messages = parsed(
      "/usr/bin/ld: /scratch/b.o:(.bss+0x0): multiple definition of `x'; /scratch/a.o:x.cpp:2: first defined "
      "here\ncollect2: error: ld returned 1 exit status\n",
      "x.cpp");
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].line, 0);
  EXPECT_THAT(messages[0].text, HasSubstr("multiple definition of 'x'"));
  EXPECT_EQ(messages[0].text.find("/scratch"), std::string::npos);
}

TEST(BuildMessages, the_assembler_and_the_driver_are_heard) {
  EXPECT_THAT(listed(parsed("/scratch/source/x.cpp: Assembler messages:\n"
                            "/scratch/source/x.cpp:3: Error: no such instruction: `foo %eax'\n",
                            "x.cpp")),
              ElementsAre("error 3:0 no such instruction: 'foo %eax'"));
  EXPECT_THAT(listed(parsed("g++: fatal error: Killed signal terminated program cc1plus\n"
                            "compilation terminated.\n",
                            "x.cpp")),
              ElementsAre("error 0:0 Killed signal terminated program cc1plus"));
  EXPECT_THAT(listed(parsed("\ncc1plus: out of memory allocating 65536 bytes after a total of 135168 bytes\n",
                            "x.cpp")),
              ElementsAre("error 0:0 the compiler ran out of memory"));
}

TEST(BuildMessages, nvccs_messages_are_read_once_though_it_compiles_twice) {
  const std::string warning =
      "/scratch/source/x.cu(13): warning #177-D: variable \"also_unused\" was declared but never referenced\n"
      "    int also_unused;\n"
      "        ^\n\n"
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n";
  const std::string error =
      "/scratch/source/x.cu(2): error: expected a \";\"\n"
      "  __attribute__((global)) void k(float* C) { /* : error: no */ C[threadIdx.x] = 1 }\n"
      "                                                                ^\n\n"
      "1 error detected in the compilation of \"/scratch/source/x.cu\".\n";
  EXPECT_THAT(listed(parsed(warning + warning + error, "x.cu")),
              ElementsAre("warning 13:0 variable \"also_unused\" was declared but never referenced",
                          "error 2:0 expected a \";\""));
}

TEST(BuildMessages, ptxas_and_nvcc_itself_are_heard) {
  EXPECT_THAT(
      listed(parsed("ptxas error   : Entry function '_Z3bigPf' uses too much shared data (0x40000 bytes, "
                    "0x38c00 max)\nptxas info    : 0 bytes gmem\n",
                    "x.cu")),
      ElementsAre("error 0:0 Entry function 'big' uses too much shared data (0x40000 bytes, 0x38c00 max)"));
  EXPECT_THAT(listed(parsed("ptxas fatal   : Unresolved extern function '_Z5otherf'\n", "x.cu")),
              ElementsAre("error 0:0 Unresolved extern function 'other'"));
  EXPECT_THAT(listed(parsed("nvcc fatal   : Unsupported gpu architecture 'sm_999'\n", "x.cu")),
              ElementsAre("error 0:0 Unsupported gpu architecture 'sm_999'"));
}

TEST(BuildMessages, a_solve_with_noexcept_is_no_conflict) {
  const std::string conflict =
      "/scratch/source/x.cpp:1:17: warning: conflicting C language linkage declaration 'void solve(const "
      "float*)'\nIn file included from <command-line>:\n"
      "/scratch/gemmlab_signature.h:2:17: note: previous declaration 'void gemmlab_expected::solve(int)'\n";
  EXPECT_EQ(parsed(conflict, "x.cpp").size(), 1u);
  EXPECT_THAT(
      parsed(conflict + "/scratch/source/x.cpp:1:17: note: due to different exception specifications\n",
             "x.cpp"),
      IsEmpty());
}

TEST(BuildMessages, fifty_are_kept_and_long_lines_cut) {
  std::string output;
  for (int line = 1; line <= 80; ++line) {
    output +=
        "/scratch/source/x.cpp:" + std::to_string(line) + ":1: warning: w" + std::string(9000, 'w') + "\n";
  }
  const auto messages = parsed(output, "x.cpp");
  ASSERT_EQ(messages.size(), 50u);
  EXPECT_EQ(messages.back().line, 50);
  EXPECT_LT(messages[0].text.size(), 500u);
}

TEST(BuildMessages, another_file_whose_name_begins_alike_is_not_the_students) {
  EXPECT_THAT(listed(parsed("x.cpp.inc:7:1: error: bad\n", "x.cpp")),
              ElementsAre("error 0:0 bad (in x.cpp.inc)"));
}

TEST(BuildMessages, garbage_is_no_message) {
  EXPECT_THAT(parsed("", "x.cpp"), IsEmpty());
  EXPECT_THAT(parsed("\n\n:::\n(((\nx.cpp\nx.cpp:\nld: in function\n", "x.cpp"), IsEmpty());
  EXPECT_THAT(
      listed(parsed("/scratch/source/x.cpp:99999999999999999999:1: error: far away\n", "x.cpp")).size(), 1u);
}

TEST(BuildKernels, registers_spills_shared_memory_and_stack_are_read) {
  const std::string output =
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function '_ZN36_GLOBAL__N__530dc3e8_7_warn_cu_plain6hiddenEPf' for "
      "'sm_90a'\n"
      "ptxas info    : Function properties for _ZN36_GLOBAL__N__530dc3e8_7_warn_cu_plain6hiddenEPf\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 10 registers, used 0 barriers\n"
      "ptxas info    : Compile time = 1.782 ms\n"
      "ptxas info    : Compiling entry function '_Z5tiledILi32EEvPKfS1_Pfiii' for 'sm_90a'\n"
      "ptxas info    : Function properties for _Z6calledf\n"
      "    9 bytes stack frame, 99 bytes spill stores, 999 bytes spill loads\n"
      "ptxas info    : Function properties for _Z5tiledILi32EEvPKfS1_Pfiii\n"
      "    800 bytes stack frame, 12 bytes spill stores, 24 bytes spill loads\n"
      "ptxas info    : Used 40 registers, used 1 barriers, 800 bytes cumulative stack size, 4096 bytes smem, "
      "360 "
      "bytes cmem[0]\n";
  const auto kernels = parse_kernels(output);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "hidden");
  EXPECT_EQ(kernels[0].registers, 10);
  EXPECT_EQ(kernels[0].static_shared_bytes, 0);
  EXPECT_EQ(kernels[1].name, "tiled<32>");
  EXPECT_EQ(kernels[1].registers, 40);
  EXPECT_EQ(kernels[1].spill_bytes, 36) << "what the called function spills is not the kernel's";
  EXPECT_EQ(kernels[1].static_shared_bytes, 4096);
  EXPECT_EQ(kernels[1].stack_bytes, 800);
}

TEST(BuildKernels, names_are_as_their_writer_knows_them) {
  EXPECT_EQ(kernel_name("plain"), "plain");
  EXPECT_EQ(kernel_name("_Z3bigPf"), "big");
  EXPECT_EQ(kernel_name("_ZN4mine5tiledILi16ELi8EEEvPKfPf"), "mine::tiled<16, 8>");
  EXPECT_EQ(kernel_name("_Z1kPFvfE"), "k") << "a function among the arguments";
}

TEST(BuildHeaders, dependencies_go_over_lines_and_spaces) {
  EXPECT_THAT(parse_dependencies("t.so: /a/x.cpp \\\n    /usr/include/my\\ file.h \\\n  /b/c$$.h\n"),
              ElementsAre("/a/x.cpp", "/usr/include/my file.h", "/b/c$.h"));
  EXPECT_THAT(parse_dependencies(""), IsEmpty());
}

TEST(BuildHeaders, a_file_outside_the_folders_is_named_however_it_is_reached) {
  const std::vector<std::string> folders{"/usr", "/nonesuch/judge/submission-1"};
  const std::string from = "/nonesuch/judge/submission-1";
  const auto foreign = [&](const std::string& file) {
    return foreign_file({"/usr/include/stdio.h", file}, folders, from);
  };
  for (const char* own :
       {"/nonesuch/judge/submission-1/source/x.cpp", "source/x.cpp", "/usr/lib/gcc/../../include/math.h"})
    EXPECT_EQ(foreign(own), "") << own;
  EXPECT_EQ(foreign("/home/ben/solution.h"), "/home/ben/solution.h");
  EXPECT_EQ(foreign("/usr/include/../../etc/passwd"), "/etc/passwd");
  EXPECT_EQ(foreign("../submission-2/source/x.cpp"), "/nonesuch/judge/submission-2/source/x.cpp");
  EXPECT_EQ(foreign("/nonesuch/judge/submission-12/x.h"), "/nonesuch/judge/submission-12/x.h");
}

TEST(BuildHeaders, a_link_in_the_folders_does_not_hide_where_it_leads) {
  std::string folder = (std::filesystem::temp_directory_path() / "gemmlab-links-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  std::filesystem::create_symlink("/etc/passwd", folder + "/mine.h");
  EXPECT_EQ(foreign_file({"mine.h"}, {folder}, folder), folder + "/mine.h");
  std::filesystem::remove_all(folder);
}

TEST(BuildHeaders, a_forbidden_header_is_named_as_it_was_included) {
  const std::vector<std::string> rule{"Eigen/", "cblas.h", "mkl", "cute/"};
  const auto found = [&](const std::string& file) {
    return forbidden_header({"/usr/include/stdio.h", file}, rule, "/home/mkl/s");
  };
  EXPECT_EQ(found("/usr/include/eigen3/Eigen/Dense"), "Eigen/Dense");
  EXPECT_EQ(found("/usr/include/x86_64-linux-gnu/cblas.h"), "cblas.h");
  EXPECT_EQ(found("/opt/intel/oneapi/mkl/latest/include/mkl_cblas.h"), "mkl_cblas.h");
  EXPECT_EQ(found("/home/me/Eigen/Core"), "Eigen/Core");
  EXPECT_EQ(found("Eigen/Dense"), "Eigen/Dense");
}

TEST(BuildHeaders, names_that_only_look_alike_are_allowed) {
  const std::vector<std::string> rule{"Eigen/", "cblas.h", "mkl", "cute/"};
  for (const char* file : {"/usr/include/c++/12/vector", "/opt/mkl/include/omp.h", "/usr/include/acute/x.h",
                           "/usr/include/my_cblas.h", "/home/mkl/s/source/mkl.cpp"}) {
    EXPECT_EQ(forbidden_header({file}, rule, "/home/mkl/s"), "") << file;
  }
}

TEST(BuildSymbols, solve_is_found_by_its_c_name_alone) {
  EXPECT_EQ(check_symbols("0000000000001180 T solve\n").reason, "");
  EXPECT_EQ(check_symbols("0000000000001180 W solve\n").reason, "");
  const SymbolFault mangled = check_symbols("0000000000001180 T _Z5solvePKfS0_Pfiii\n");
  EXPECT_THAT(mangled.reason, HasSubstr("C++ function"));
  EXPECT_THAT(mangled.hint, HasSubstr("extern \"C\""));
  EXPECT_EQ(check_symbols("0000000000001180 T resolve\n0000000000001190 T solver\n").reason,
            "no function solve");
  EXPECT_EQ(check_symbols("").reason, "no function solve");
  EXPECT_EQ(check_symbols("0000000000004010 B solve\n").reason, "solve is not a function");
}

}  // namespace
}  // namespace gemmlab::submissions
