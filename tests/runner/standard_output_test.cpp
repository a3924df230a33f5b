#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "tests/runner/support.h"

namespace gemmlab::test {
namespace {

using ::testing::HasSubstr;

class StandardOutput : public Scratch {
 protected:
  void SetUp() override {
    Scratch::SetUp();
    write("tiny.toml", R"(
title = "tiny"
question = "is anybody there?"
[[group]]
name = "g"
size = 8
[[group.run]]
implementation = "cpu.ikj"
)");
  }

  /// With redirections of its own; what it says is its standard error where only that stays.
  Finished redirected(const std::string& arguments, const std::string& redirection) const {
    return shell("( { GEMMLAB_ROOT='" GEMMLAB_SOURCE_ROOT "' '" GEMMLAB_FAULTY "' " + arguments + "; } " +
                 redirection + " )");
  }
  bool nothing_recorded() const { return !std::filesystem::exists(path("out/tiny.jsonl")); }
};

TEST_F(StandardOutput, a_run_that_nobody_can_read_is_refused_and_records_nothing) {
  for (const char* to : {">&-", ">/dev/full"}) {
    const Finished run = redirected(run_of("tiny"), to);
    EXPECT_EQ(run.exit_status, 2) << to;
    EXPECT_THAT(run.output, ::testing::StartsWith("gemmlab: standard output ")) << to;
    EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 1) << run.output;
    EXPECT_TRUE(nothing_recorded()) << to;
  }
}

TEST_F(StandardOutput, a_reader_who_has_left_ends_a_run_before_it_records) {
  const Finished run = redirected(run_of("tiny") + "; echo ended with $? >&2", "| true");
  EXPECT_EQ(run.output, "gemmlab: standard output cannot be written to: Broken pipe\nended with 2\n");
  EXPECT_TRUE(nothing_recorded());
}

TEST_F(StandardOutput, an_answer_that_does_not_fit_on_the_disk_is_no_success) {
  const std::string plan = run_of("tiny") + " --dry-run";
  for (const std::string& command : {std::string("info"), std::string("list"), std::string("check cpu.ikj"),
                                     plan, std::string("--help"), std::string("--version")}) {
    const Finished asked = redirected(command, ">/dev/full");
    EXPECT_EQ(asked.exit_status, 2) << command;
    // what a library has already failed to write leaves no reason of its own behind
    EXPECT_EQ(asked.output.rfind("gemmlab: standard output cannot be written to: ", 0), 0U)
        << command << asked.output;
    EXPECT_EQ(std::count(asked.output.begin(), asked.output.end(), '\n'), 1) << command << asked.output;
  }
}

TEST_F(StandardOutput, a_run_with_standard_input_and_error_closed_measures) {
  EXPECT_EQ(redirected(run_of("tiny"), "<&- 2>&-").exit_status, 0);
  EXPECT_EQ(statuses(path("out/tiny.jsonl")), (std::map<std::string, std::string>{{"ikj", "ok"}}));
}

}  // namespace
}  // namespace gemmlab::test
