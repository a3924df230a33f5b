#include "emulator/rewrite/rewrite.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "emulator/rewrite/tokens.h"

namespace gemmlab::emulation {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string rewritten(const std::string& source) {
  return rewrite(source).text;
}

TEST(Rewrite, launch_becomes_a_call_with_all_four_arguments) {
  EXPECT_EQ(
      rewritten("kernel<T, 16><<<grid, block, bytes, stream>>>(a, b + f(c, d));"),
      "::gemmlab::emulation::launch_kernel({__LINE__, \"kernel<T,16>\"}, ::gemmlab::emulation::Configuration("
      "grid, block, bytes, stream), ::std::make_tuple(a, b + f(c, d)), [=](auto&... gemmlab_arguments) "
      "{ kernel<T, 16>(gemmlab_arguments...); });");
}

TEST(Rewrite, launch_takes_every_form_of_the_kernel_whole) {
  const std::array<std::array<std::string, 2>, 9> forms = {{
      {"if (x) k", "k"},
      {"else k", "k"},
      {"return ::a::b<int>::k", "::a::b<int>::k"},
      {"; (flag ? one : other)", "(flag ? one : other)"},
      {"if (x) (k)", "(k)"},
      {"; choose(a, b)", "choose(a, b)"},
      {"; table[i](j)", "table[i](j)"},
      {"; object->template k<1 << 2, (3 > 2)>", "object->template k<1 << 2, (3 > 2)>"},
      {"; k<unsigned int>", "k<unsigned int>"},
  }};
  for (const auto& [before, kernel] : forms) {
    const std::string text = rewritten("{" + before + "<<<1, 1>>>(x); }");
    EXPECT_THAT(text, HasSubstr("{ " + kernel + "(gemmlab_arguments...); }"));
    EXPECT_THAT(text, HasSubstr(before.substr(0, before.size() - kernel.size()) + "::gemmlab"));
  }
}

TEST(Rewrite, launch_over_several_lines_keeps_its_lines) {
  const std::string text = rewritten("k<int,\n  2>\n<<<dim3(1,\n 2), 3>>>\n(a, // first\n b);\nlast();");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
  EXPECT_THAT(text, HasSubstr("{ k<int, 2>(gemmlab_arguments...); }"));
  EXPECT_THAT(text, ::testing::EndsWith("\nlast();"));
}

TEST(Rewrite, launch_in_a_macro_names_the_kernel_that_it_is_given) {
  EXPECT_EQ(rewritten("#define RUN(kernel, ...) \\\n  kernel<<<1, 2>>>(__VA_ARGS__)\n"),
            "#define RUN(kernel, ...) \\\n  ::gemmlab::emulation::launch_kernel({__LINE__, #kernel}, "
            "::gemmlab::emulation::Configuration(1, 2), ::std::make_tuple(__VA_ARGS__), "
            "[=](auto&... gemmlab_arguments) { kernel(gemmlab_arguments...); })\n");
}

TEST(Rewrite, null_as_an_argument_stays_a_pointer) {
  EXPECT_THAT(rewritten("k<<<1, 1>>>(NULL, f(NULL, 1), g(a, NULL));"), HasSubstr("make_tuple(nullptr, f("));
}

TEST(Rewrite, what_only_looks_like_a_launch_stays) {
  for (const std::string same : {"std::vector<std::vector<std::vector<int>>>(3);", "a << b >> c;",
                                 "x = y<<<2;", "bool operator<<<int>(int);", "k<<<1, 1;"}) {
    EXPECT_EQ(rewritten(same), same);
  }
}

TEST(Rewrite, shared_arrays_become_references) {
  EXPECT_EQ(
      rewritten("void f() { __shared__ float a[16][17], b[n > 1 ? 2 : 3]; }"),
      "void f() { auto& a = ::gemmlab::emulation::shared<float[(16)][(17)], __COUNTER__>(\"a\", __LINE__); "
      "auto& b = ::gemmlab::emulation::shared<float[(n > 1 ? 2 : 3)], __COUNTER__>(\"b\", __LINE__); }");
}

TEST(Rewrite, shared_declarations_of_every_form_are_found) {
  const std::array<std::array<std::string, 2>, 11> forms = {{
      {"__shared__ int count;", "shared<int, __COUNTER__>"},
      {"__shared__ T tile[N][N + 1];", "shared<T[(N)][(N + 1)], __COUNTER__>"},
      {"__shared__ alignas(16) float x[4];", "shared<float[(4)], __COUNTER__, (16)>"},
      {"alignas(16) __shared__ float x[4];", "shared<float[(4)], __COUNTER__, (16)>"},
      {"__shared__ __align__(8) char x[4];", "shared<char[(4)], __COUNTER__, (8)>"},
      {"__shared__ float x[4] __attribute__((aligned(16)));", "shared<float[(4)], __COUNTER__, (16)>"},
      {"volatile __shared__ unsigned long long x;", "shared<volatile unsigned long long, __COUNTER__>"},
      {"float __shared__ x[4];", "shared<float[(4)], __COUNTER__>"},
      {"__shared__ typename Tile<N, (1 > 0)>::Row x, *y;",
       "shared<typename Tile<N, (1 > 0)>::Row*, __COUNTER__>"},
      {"static __shared__ const std::array<int, 3>* x[2];",
       "shared<const std::array<int, 3>*[(2)], __COUNTER__>"},
      {"__shared__ union Both { int i; float f; } x;", "union Both { int i; float f; }; auto& x = "},
  }};
  for (const auto& [source, expected] : forms) {
    const std::string text = rewritten("void f() { " + source + " }");
    EXPECT_THAT(text, HasSubstr(expected)) << source;
    EXPECT_THAT(text, Not(HasSubstr("__shared__"))) << source;
    EXPECT_THAT(text, Not(HasSubstr("static"))) << source;
  }
}

TEST(Rewrite, dynamic_shared_memory_becomes_a_pointer) {
  EXPECT_EQ(
      rewritten(
          "extern __shared__ float s[];\nvoid f() { extern __shared__ __align__(16) float rows[][4]; }"),
      "static auto* const s = ::gemmlab::emulation::dynamic_shared<float>(\"s\", __LINE__);\n"
      "void f() { auto* const rows = ::gemmlab::emulation::dynamic_shared<float[(4)]>(\"rows\", __LINE__); "
      "}");
}

TEST(Rewrite, shared_variables_of_a_namespace_are_static) {
  EXPECT_THAT(rewritten("namespace a::b { namespace { extern \"C\" { __shared__ int z; } } }"),
              HasSubstr("{ static auto& z"));
  EXPECT_THAT(rewritten("namespace a { void f() { if (x) { __shared__ int z; } } }"), HasSubstr("{ auto& z"));
}

TEST(Rewrite, shared_declaration_over_several_lines_keeps_its_lines) {
  const std::string text = rewritten("{ __shared__ float\n a[2][\n 3], // first\n b[4];\n }");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_THAT(text, HasSubstr("(\"a\", __LINE__); \nauto& b"));
  EXPECT_THAT(rewritten("{ extern __shared__ float s\n[\n];\n }"),
              HasSubstr("<float\n\n>(\"s\", __LINE__);\n }"));
}

TEST(Rewrite, inline_ptx_becomes_a_call_of_its_text_outputs_and_inputs) {
  EXPECT_EQ(rewritten("asm volatile(\"bar.sync 0;\" ::\n : \"memory\");\n__asm__(\"exit;\");"),
            "GEMMLAB_PTX(\"bar.sync 0;\" , GEMMLAB_PTX_OPERANDS(), GEMMLAB_PTX_OPERANDS(\n ));\n"
            "GEMMLAB_PTX(\"exit;\", GEMMLAB_PTX_OPERANDS(), GEMMLAB_PTX_OPERANDS());");
  EXPECT_EQ(rewritten("asm(\"add.s32 %0, %1, 1;\" : \"=r\"(x) : \"r\"(y));"),
            "GEMMLAB_PTX(\"add.s32 %0, %1, 1;\" , GEMMLAB_PTX_OPERANDS( gemmlab_ptx_out_r(x) ), "
            "GEMMLAB_PTX_OPERANDS( gemmlab_ptx_in_r(y)));");
}

TEST(Rewrite, operands_are_taken_as_nvcc_takes_them) {
  for (const std::string refused :
       {"asm(\"mov.b32 %[to], %1;\" : [to] \"=f\"(x) : \"f\"(y));", "asm(\"\\n\" : \"=r\"(x) : \"0\"(y));"})
    EXPECT_THAT(rewritten(refused), HasSubstr("gemmlab_cannot_be_run_without_a_GPU(\"inline PTX\")"));
  EXPECT_THAT(rewritten("asm(\"mov.b32 %0, %1;\" : [to] \"=f\"(x) : \"f\"(y));"),
              AllOf(HasSubstr("gemmlab_ptx_out_f(x)"), Not(HasSubstr("[to]"))));
}

TEST(Rewrite, constraints_in_macros_are_understood) {
  EXPECT_THAT(
      rewritten("#define PTX(...) asm volatile(__VA_ARGS__)\nvoid f() { PTX(\"exit;\" ::: \"memory\"); }"),
      AllOf(HasSubstr("PTX(...) GEMMLAB_PTX(__VA_ARGS__)"),
            HasSubstr("PTX(\"exit;\" , GEMMLAB_PTX_OPERANDS(), GEMMLAB_PTX_OPERANDS());")));
  EXPECT_THAT(rewritten("#define ALL(how) how(d[0]), how(d[1])\nasm(\"exit;\" : ALL(\"+f\"));"),
              HasSubstr("ALL(gemmlab_ptx_both_f)"));
}

TEST(Rewrite, inline_ptx_that_is_not_run_becomes_a_name_that_no_one_declares) {
  EXPECT_EQ(rewritten("asm volatile(\"tcgen05.fence::before_thread_sync;\" ::\n : \"memory\");"),
            "gemmlab_cannot_be_run_without_a_GPU(\"inline PTX (tcgen05.fence::before_thread_sync)\")\n;");
}

TEST(Rewrite, pointers_to_kernels_note_what_the_kernel_takes) {
  EXPECT_EQ(rewritten("launch((void*)kernel, reinterpret_cast<const void*>(&f<int>), (void*)&x);"),
            "launch(::gemmlab::emulation::AsPointer<void*>() ->* kernel, "
            "::gemmlab::emulation::AsPointer<const void*>() ->* (&f<int>), "
            "::gemmlab::emulation::AsPointer<void*>() ->* &x);");
  EXPECT_EQ(rewritten("void f(void*); void g(const void* x);"), "void f(void*); void g(const void* x);");
}

TEST(Rewrite, memory_is_taken_where_the_code_runs) {
  EXPECT_EQ(
      rewritten("{ float* p = (float*)malloc(4); std::free(p); float* q = new float[3]; delete[] q; }"),
      "{ float* p = (float*)::gemmlab::emulation::allocate_here(4); ::gemmlab::emulation::free_here(p); "
      "float* q = new (::gemmlab::emulation::kHere) float[3]; ::gemmlab::emulation::Deleted<true>() ->*  q; "
      "}");
  for (const std::string same : {"x.free(p);", "my::malloc(3);", "S(const S&) = delete;"})
    EXPECT_EQ(rewritten(same), same);
}

TEST(Rewrite, assembly_without_an_instruction_stays_with_registers_of_the_host) {
  EXPECT_EQ(rewritten("asm volatile(\"\" ::: \"memory\"); asm(\"\" : \"+f\"(x), \"=r\"(y));"),
            "asm volatile(\"\" ::: \"memory\"); asm(\"\" : \"+x\"(x), \"=r\"(y));");
}

TEST(Rewrite, noinline_becomes_an_attribute) {
  EXPECT_EQ(rewritten("__device__ __noinline__ int f() __attribute__((__noinline__));"),
            "__device__ __attribute__((noinline)) int f() __attribute__((__noinline__));");
}

TEST(Rewrite, unroll_pragmas_become_those_of_gcc_in_front_of_loops_alone) {
  EXPECT_EQ(rewritten("#pragma unroll\nfor (;;) ;"), "#pragma GCC unroll 64\nfor (;;) ;");
  EXPECT_EQ(rewritten("#pragma unroll 4  // why\n// more\nwhile (x) ;"),
            "#pragma GCC unroll 4// why\n// more\nwhile (x) ;");
  EXPECT_EQ(rewritten("#pragma unroll(2)\nfor (;;) ;"), "#pragma GCC unroll (2)\nfor (;;) ;");
  EXPECT_EQ(rewritten("#pragma nounroll\ndo ; while (x);"), "#pragma GCC unroll 1\ndo ; while (x);");
  EXPECT_EQ(rewritten("#pragma unroll\nint x;"), "\nint x;");
  EXPECT_EQ(rewritten("#pragma unroll \\\n(4)\nfor (;;) ;"), "#pragma GCC unroll (4)\n\nfor (;;) ;");
  EXPECT_EQ(rewritten("#define U _Pragma(\"unroll\")\n"), "#define U _Pragma(\"GCC unroll 64\")\n");
}

TEST(Rewrite, loops_that_begin_at_the_thread_stay_rolled) {
  EXPECT_EQ(rewritten("#pragma unroll\nfor (int i = threadIdx.x * 4; i < 64; i += 32) f(i);"),
            "\nfor (int i = threadIdx.x * 4; i < 64; i += 32) f(i);");
  EXPECT_EQ(rewritten("#pragma unroll\nfor (int i = 0; i < threadIdx.x; ++i) f(i);"),
            "#pragma GCC unroll 64\nfor (int i = 0; i < threadIdx.x; ++i) f(i);");
}

TEST(Rewrite, unroll_counts_are_written_without_macros) {
  EXPECT_THAT(rewritten("#define U 2\nconstexpr int kTwo = U + 1;\n#pragma unroll kTwo * U\nfor (;;) ;"),
              HasSubstr("#pragma GCC unroll kTwo*(2)\nfor (;;) ;"));
}

TEST(Rewrite, loops_that_are_unrolled_in_part_tell_of_their_next_round) {
  EXPECT_EQ(rewritten("#pragma unroll 4\nfor (int k = 0; k < 8; ++k) f(k);"),
            "\nfor (int k = 0; k < 8; (k < 8) ? ::gemmlab::emulation::next_round() : void()) "
            "_Pragma(\"GCC unroll 4\") for (int gemmlab_turn = 0; gemmlab_turn < 4; ++gemmlab_turn, ++k) "
            "if (k < 8) f(k);");
}

// g++ 12 refuses a count that depends on a template's parameter.
TEST(Rewrite, unroll_counts_that_a_template_sets_are_told_apart_by_the_compiler) {
  EXPECT_EQ(rewritten("template <int N> void f() {\n#pragma unroll(N)\n  for (;;) g();\n}"),
            "template <int N> void f() {\nif constexpr (((N)) == 1) { _Pragma(\"GCC unroll 1\")\n  for (;;) "
            "g(); } else "
            "{ _Pragma(\"GCC unroll 64\") for (;;) g(); }\n}");
  EXPECT_THAT(rewritten("template <int N> void f() {\n#pragma unroll N\n  for (;;) {\n }\n}"),
              HasSubstr("#pragma GCC unroll 64\n"));
}

TEST(Rewrite, text_that_is_no_code_stays) {
  for (const std::string same :
       {"// __shared__ float x; k<<<1, 1>>>();\n", "/* asm(\"\"); */", "\"k<<<1, 1>>>(); \\\" asm\"",
        "R\"x(__shared__ int a; )\" asm(\"\"))x\"", "#include \"asm<<<.h\"\n", "#if 0\nit's asm\n#endif\n",
        "char c = '\"'; int n = 1'000; // asm(\"\")\n", "void f(__shared__ float* x);"}) {
    EXPECT_EQ(rewritten(same), same);
  }
}

TEST(Rewrite, unfinished_code_is_left_to_the_compiler) {
  for (const std::string same :
       {"#define RUN(kernel", "k<<<1, 1>>>(", "__shared__ float a[16", "asm(\"exit;\"", "R\"x(", "/*", "#",
        "<<<", "__shared__", "_Pragma(\"unroll\"", "extern __shared__ float s[]) ;"}) {
    EXPECT_EQ(rewritten(same), same);
  }
  EXPECT_EQ(rewritten("{ (\n#pragma unroll N\nfor (;;) x } y;"),
            "{ (\n#pragma GCC unroll 64\nfor (;;) x } y;");
}

std::vector<std::filesystem::path> cuda_files() {
  std::vector<std::filesystem::path> files;
  for (const char* folder :
       {"submissions/examples/gpu", "tests/submissions", "tests/emulator", "tests/gpu", "gpu"}) {
    const auto root = std::filesystem::path(GEMMLAB_SOURCE_ROOT) / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() == ".cu" || entry.path().extension() == ".h")
        files.push_back(entry.path());
    }
  }
  return files;
}

TEST(Rewrite, nothing_of_cuda_is_left_in_any_kernel_and_each_keeps_its_lines) {
  const auto files = cuda_files();
  ASSERT_GT(files.size(), 80U);
  for (const auto& path : files) {
    std::ifstream file(path);
    const std::string source(std::istreambuf_iterator<char>(file), {});
    const std::string text = rewritten(source);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::count(source.begin(), source.end(), '\n'))
        << path;
    const Code code(text);
    for (std::size_t i = 0; i < code.size(); ++i) {
      EXPECT_FALSE(code.is(i, "<<<") || code.is(i, "__shared__")) << path;
      EXPECT_FALSE(code.is(i, "asm") && !code.is(i + 3, "\"\"")) << path;
    }
    EXPECT_EQ(rewritten(text), text) << path;
  }
}

}  // namespace
}  // namespace gemmlab::emulation
