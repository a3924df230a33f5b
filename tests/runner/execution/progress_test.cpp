#include "runner/execution/progress.h"

#include <gmock/gmock.h>

#include "operations/gemm/implementation.h"
#include "tests/runner/support.h"

namespace gemmlab::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::internal::CaptureStdout;
using ::testing::internal::GetCapturedStdout;

class Shown : public ::testing::Test {
 protected:
  static Point point() {
    Point made;
    made.implementation = "gpu.pipelined";
    made.device = Device::kGpu;
    made.label = "pipelined";
    made.instance = gemm_at({4096, 4096, 4096});
    return made;
  }
  static Json record(Status status, const std::string& reason = "") {
    Outcome outcome;
    outcome.status = status;
    outcome.reason = reason;
    if (status == Status::kOk) {
      for (int i = -5; i <= 5; ++i) outcome.samples_s.push_back(2.5e-3 * (1 + 0.0005 * i));
    }
    return case_record("r", "e", point(), outcome, 0, "");
  }
  /// What is printed of three points where standard output is no terminal.
  static std::string printed(bool verbose, double plain_each_s) {
    CaptureStdout();
    runner::Progress progress(3, 60, verbose, plain_each_s);
    progress.finished(point(), record(Status::kOk));
    progress.finished(point(), record(Status::kSkipped, "it takes too long"));
    const Point at_work = point();
    progress.tick(&at_work, "timed call");
    progress.tick(&at_work, "timed call");
    progress.finished(point(), record(Status::kIncorrect, "an element is off"));
    progress.end();
    return GetCapturedStdout();
  }
  static long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }
};

TEST_F(Shown, without_a_terminal_is_what_went_wrong_and_how_all_ended) {
  const std::string text = printed(false, 3600);
  EXPECT_EQ(lines(text), 2) << text;
  EXPECT_THAT(text, ContainsRegex("incorrect +gpu.pipelined +4096 +an element is off\n"));
  EXPECT_THAT(text, ContainsRegex("3 points in .*: 1 incorrect, 1 ok, 1 skipped\n$"));
}

TEST_F(Shown, now_and_then_a_plain_line_tells_points_time_left_and_the_last_number) {
  const std::string text = printed(false, 0);
  EXPECT_EQ(lines(text), 4) << text;
  EXPECT_THAT(
      text, HasSubstr("2 of 3 points, about 1 min left; last: gpu.pipelined 4096: 54,976 GFLOP/s ±0.2 %\n"));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
}

TEST_F(Shown, a_line_a_point_where_asked_for) {
  const std::string text = printed(true, 3600);
  EXPECT_EQ(lines(text), 4) << text;
  EXPECT_THAT(text, ContainsRegex("ok +gpu.pipelined +4096 +2.5 ms +54975.6 GFLOP/s +±0.2 %\n"));
  EXPECT_THAT(text, ContainsRegex("skipped +gpu.pipelined +4096 +it takes too long\n"));
}

class ShownOnATerminal : public Scratch {};

TEST_F(ShownOnATerminal, is_one_line_that_changes_and_fits) {
  if (shell("command -v script").exit_status != 0) GTEST_SKIP() << "script(1) is not here";
  write("s.toml",
        "title = \"t\"\nquestion = \"q\"\n[settings]\nprecision = 0.5\nmin_time_s = 0.2\n[[group]]\nname = "
        "\"g\"\n"
        "size = 32\n[[group.run]]\nimplementation = \"cpu.ikj\"\nlabel = \"" +
            std::string(200, 'x') + "\"\n");
  const std::string command = "GEMMLAB_ROOT='" GEMMLAB_SOURCE_ROOT "' '" GEMMLAB_FAULTY "' " + run_of("s");
  write("run.sh", "stty cols 60\n" + command + "\n");
  const std::string output = shell("script -qec 'sh " + path("run.sh") + "' /dev/null </dev/null").output;
  EXPECT_THAT(output, HasSubstr("\r\033[K"));
  EXPECT_THAT(output, ContainsRegex("0 of 1 points, about [0-9]+ s left; now: "));
  EXPECT_THAT(output, ContainsRegex("1 point in [0-9]+ m?s: 1 ok\r\n"));
  EXPECT_THAT(output, Not(HasSubstr(std::string(60, 'x')))) << "cut to the width of the terminal";
}

}  // namespace
}  // namespace gemmlab::test
