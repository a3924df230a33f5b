#include "submissions/judge/checking/thread_races.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "submissions/build/build.h"
#include "submissions/build/thread_program.h"
#include "tests/scratch.h"

namespace gemmlab::submissions {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A row of C by each turn of the loop in line 7; `between` stands in line 12.
std::string rows(const std::string& head, const std::string& loop, const std::string& between) {
  return "#include <omp.h>\n#include <mutex>\n#include <thread>\n#include <vector>\n" + head +
         "\nextern \"C\" void solve(const float* A, const float* B, float* C, int M, int N, int K) {\n" +
         loop +
         "\n    for (int j = 0; j < K; ++j) {\n"
         "      float s = 0;\n"
         "      for (int k = 0; k < N; ++k) s += A[(long)i * N + k] * B[(long)k * K + j];\n"
         "      C[(long)i * K + j] = s;\n" +
         between + "\n    }\n";
}
std::string in_openmp(const std::string& head, const std::string& pragma, const std::string& between) {
  return rows(head, "#pragma omp " + pragma + "\n  for (int i = 0; i < M; ++i)", between) + "}\n";
}
std::string in_threads(const std::string& head, const std::string& between) {
  return rows(head,
              "  std::vector<std::thread> all;\n  for (int t = 0; t < 4; ++t) all.emplace_back([=] {\n"
              "  for (int i = t; i < M; i += 4)",
              between) +
         "  });\n  for (auto& one : all) one.join();\n}\n";
}

class ThreadRacesTest : public test::ScratchFolder {
 protected:
  void SetUp() override {
    test::ScratchFolder::SetUp();
    std::string pattern = (std::filesystem::temp_directory_path() / "gemmlab-threads-XXXXXX").string();
    scratch_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override {
    std::filesystem::remove_all(scratch_);
    test::ScratchFolder::TearDown();
  }
  /// What is said of the hand-in; "none": no race.
  std::string told(const std::string& text) {
    const Build result = build(read_submission(write("my hand-in.cpp", text)), rule_, scratch_, {});
    if (result.thread_program.empty()) return "not watched: " + result.reason;
    const auto failure =
        race_of_threads(result.thread_program, std::filesystem::temp_directory_path(), rule_.limits, "");
    return failure ? failure->explanation : "none";
  }
  bool runs() {
    static const bool runs = told(in_threads("float total;", "total = total + s;")) != "none";
    return runs;
  }

  std::string scratch_;
  Rule rule_;
};

TEST_F(ThreadRacesTest, are_found_by_line_though_the_result_is_right) {
  if (!runs()) GTEST_SKIP() << "ThreadSanitizer does not run here";
  EXPECT_THAT(told(in_threads("float total;", "total = total + s;")),
              HasSubstr("At line 14 two threads use one place"));
  EXPECT_THAT(told(in_openmp("float total;", "parallel for", "total = total + s;")),
              HasSubstr("At line 13 two threads"));
  EXPECT_THAT(told(in_openmp("float total;", "parallel for schedule(dynamic)", "total = total + s;")),
              HasSubstr("At line 13 two threads"));
}

TEST_F(ThreadRacesTest, are_none_where_something_orders_the_threads) {
  if (!runs()) GTEST_SKIP() << "ThreadSanitizer does not run here";
  EXPECT_EQ(
      told(in_threads("std::mutex lock; float total;", "std::lock_guard hold(lock); total = total + s;")),
      "none");
  for (const char* pragma :
       {"parallel for reduction(+ : total)", "parallel for schedule(dynamic, 2) reduction(+ : total)",
        "parallel for schedule(guided) reduction(+ : total)",
        "parallel for schedule(runtime) reduction(+ : total)",
        "parallel for collapse(1) num_threads(3) lastprivate(total)"})
    EXPECT_EQ(told(in_openmp("float total;", pragma, "total = total + s;")), "none") << pragma;
  for (const char* how : {"atomic", "critical", "critical(sums)"})
    EXPECT_EQ(told(in_openmp("float total;", "parallel for",
                             "\n#pragma omp " + std::string(how) + "\n total = total + s;")),
              "none")
        << how;
  EXPECT_EQ(told("#include <vector>\nextern \"C\" void solve(const float* A, const float* B, float* C, int "
                 "M, int N, int K) {\n"
                 "  std::vector<float> turned((long)N * K);\n"
                 "#pragma omp parallel\n  {\n"
                 "#pragma omp for schedule(dynamic)\n"
                 "    for (long k = 0; k < N; ++k) for (int j = 0; j < K; ++j) turned[(long)j * N + k] = B[k "
                 "* K + j];\n"
                 "    float* first = nullptr;\n"
                 "#pragma omp single copyprivate(first)\n    first = turned.data();\n"
                 "#pragma omp sections nowait\n    {\n"
                 "#pragma omp section\n      { (void)first; }\n"
                 "#pragma omp section\n      { (void)first; }\n    }\n"
                 "#pragma omp for schedule(static, 3)\n"
                 "    for (int i = 0; i < M; ++i) for (int j = 0; j < K; ++j) {\n"
                 "      float s = 0;\n      for (int k = 0; k < N; ++k) s += A[(long)i * N + k] * "
                 "first[(long)j * N + k];\n"
                 "      C[(long)i * K + j] = s;\n    }\n  }\n}\n"),
            "none");
}

TEST_F(ThreadRacesTest, two_threads_may_write_one_element_of_c) {
  if (!runs()) GTEST_SKIP() << "ThreadSanitizer does not run here";
  EXPECT_EQ(told(in_openmp("", "parallel for", "C[0] = C == nullptr ? 1.0f : 2.0f;")), "none");
}

TEST(ThreadRaces, are_not_looked_for_where_the_order_cannot_be_seen) {
  EXPECT_TRUE(thread_order_is_seen("#pragma omp parallel for\n std::atomic<int> done;"));
  for (const char* text : {"volatile int done;", "std::atomic_thread_fence(std::memory_order_acquire);",
                           "#pragma omp flush", "asm(\"mfence\");", "std::async(f);"})
    EXPECT_FALSE(thread_order_is_seen(text)) << text;
}

TEST(ThreadRaces, are_read_from_what_the_sanitizer_prints) {
  const std::string head = "WARNING: ThreadSanitizer: data race (pid=7)\n";
  const auto failure =
      race_told(head +
                    "  Write of size 4 at 0x7b by thread T2:\n    #0 f /tmp/x/handed_in.cpp:9 (threads+0xc)\n"
                    "  Previous read of size 4 at 0x7b by main thread:\n"
                    "    #0 memcpy <null> (threads+0x4)\n    #1 g /tmp/x/handed_in.cpp:12 (threads+0xd)\n"
                    "  Location is global 'x'\n",
                "x (line 3) is shared");
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->explanation,
              AllOf(HasSubstr("At line 9 a thread writes to a place in memory that another reads at line 12"),
                    HasSubstr("x (line 3) is shared")));
  EXPECT_FALSE(race_told("FATAL: ThreadSanitizer: unexpected memory mapping\n", ""));
  EXPECT_FALSE(
      race_told(head + "  Write of size 4 at 0x7b by thread T2:\n    #0 f other.h:9 (threads+0xc)\n", ""));
}

}  // namespace
}  // namespace gemmlab::submissions
