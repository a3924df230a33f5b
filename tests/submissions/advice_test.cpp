// What is said of the threads of a CPU submission.

#include "submissions/judge/explaining/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/machine/machine.h"
#include "submissions/judge/judge.h"

namespace gemmlab::submissions {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Title and text of all advice on a submission with that source, whose calls kept so many processors busy.
std::string advice_on(const std::string& source, double busy) {
  const std::string path = testing::TempDir() + "gemmlab_advice.cpp";
  std::ofstream(path) << source;
  Judgement judgement;
  judgement.submission.path = path;
  judgement.timing.emplace();
  judgement.timing->threads_busy = busy;
  std::string text;
  for (const Advice& one : advise(judgement, {})) text += one.title + ". " + one.text + "\n";
  std::filesystem::remove(path);
  return text;
}

TEST(Advice, tells_one_thread_a_team_that_does_not_work_and_cores_that_others_took_apart) {
  if (cpu_info().cores < 2) GTEST_SKIP() << "with one core nothing is said of threads";
  const std::string plain = "for (int i = 0; i < M; ++i) {}";
  const std::string team = "#pragma omp parallel for\n" + plain;
  EXPECT_THAT(advice_on(plain, 1.0), AllOf(HasSubstr("One core of"), HasSubstr("#pragma omp parallel for")));
  EXPECT_THAT(advice_on(team, 1.0),
              AllOf(HasSubstr("though the source asks for threads"), Not(HasSubstr("#pragma"))));
  EXPECT_THAT(advice_on(plain, 0.6),
              AllOf(HasSubstr("Other programs took the cores"), Not(HasSubstr("#pragma"))));
  EXPECT_THAT(advice_on(team, 0.6), AllOf(HasSubstr("Other programs took the cores"), HasSubstr("--fresh")));
  EXPECT_EQ(advice_on(team, 1.9), "");
}

}  // namespace
}  // namespace gemmlab::submissions
