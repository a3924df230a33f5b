#include <gmock/gmock.h>

#include <algorithm>

#include "core/machine/machine.h"
#include "tests/runner/support.h"

namespace gemmlab::test {
namespace {

class Fault : public Scratch {
 protected:
  /// Runs `kinds` of cpu.fault and the right one in one group; returns label -> status.
  std::map<std::string, std::string> run(const std::string& kinds, const std::string& settings = "") {
    write("faults.toml", R"(
title = "faults"
question = "what becomes of them?"
[settings]
min_time_s = 0.02
precision = 0.2
)" + settings + R"(
[[group]]
name = "g"
size = [33]
[[group.run]]
implementation = "cpu.fault"
label = "{kind}"
kind = [)" + kinds + R"(]
[[group.run]]
implementation = "cpu.ikj"
threads = 1
label = "ikj"
)");
    finished_ = faulty(run_of("faults"));
    return statuses(path("out/faults.jsonl"));
  }
  std::string reason(const std::string& label) const {
    for (const Json& record : cases(path("out/faults.jsonl"))) {
      if (record.at("label") == label) return record.at("reason");
    }
    return "";
  }
  Finished finished_;
};

TEST_F(Fault, right_points_are_ok_and_exit_is_0) {
  const auto status = run("'right'");
  EXPECT_EQ(status.at("right"), "ok") << finished_.output;
  EXPECT_EQ(status.at("ikj"), "ok");
  EXPECT_EQ(finished_.exit_status, 0);
}

TEST_F(Fault, a_crash_costs_its_own_point_only) {
  const auto status = run("'right', 'crash', 'abort', 'exit'");
  EXPECT_EQ(status.at("crash"), "crashed");
  EXPECT_EQ(status.at("abort"), "crashed");
  EXPECT_EQ(status.at("exit"), "crashed");
  EXPECT_EQ(status.at("right"), "ok");
  EXPECT_EQ(status.at("ikj"), "ok");
  EXPECT_EQ(finished_.exit_status, 1);
  EXPECT_THAT(reason("crash"), ::testing::HasSubstr("exact check"));
}

TEST_F(Fault, last_words_that_are_no_utf_8_are_recorded) {
  const auto status = run("'right', 'mutter'");
  EXPECT_EQ(status.at("mutter"), "crashed");
  EXPECT_EQ(status.at("right"), "ok");
  EXPECT_THAT(reason("mutter"), ::testing::HasSubstr("caf"));
}

TEST_F(Fault, a_worker_that_dies_before_any_point_is_at_work_costs_its_group) {
  write("early.toml", R"(
title = "early"
question = "does the rest go on?"
[settings]
min_time_s = 0.02
precision = 0.2
[[group]]
name = "bad"
size = 16
[[group.run]]
implementation = "cpu.fault"
kind = "early-crash"
label = "bad"
[[group]]
name = "good"
size = 16
[[group.run]]
implementation = "cpu.ikj"
label = "good"
)");
  finished_ = faulty(run_of("early"));
  const auto status = statuses(path("out/early.jsonl"));
  EXPECT_EQ(status.at("bad"), "crashed") << finished_.output;
  EXPECT_EQ(status.at("good"), "ok");
  EXPECT_EQ(finished_.exit_status, 1);
}

TEST_F(Fault, a_crash_in_the_timed_rounds_costs_its_own_point_only) {
  const auto status = run("'right', 'late-crash'");
  EXPECT_EQ(status.at("late-crash"), "crashed");
  EXPECT_EQ(status.at("right"), "ok");
  EXPECT_EQ(cases(path("out/faults.jsonl")).size(), 3u);
}

TEST_F(Fault, a_hang_becomes_a_timeout) {
  // 'right' must come through in the same limit, on a machine that has much else to do
  const auto status = run("'hang', 'right'", "timeout_s = 5\n");
  EXPECT_EQ(status.at("hang"), "timeout");
  EXPECT_EQ(status.at("right"), "ok");
  EXPECT_EQ(finished_.exit_status, 0) << "a timeout is a result, not a wrong number";
}

TEST_F(Fault, lack_of_memory_and_exceptions_are_told_apart) {
  const auto status = run("'out-of-memory', 'throw', 'refuses', 'right'");
  EXPECT_EQ(status.at("out-of-memory"), "out-of-memory");
  EXPECT_EQ(status.at("throw"), "failed");
  EXPECT_EQ(status.at("refuses"), "unsupported");
  EXPECT_EQ(status.at("right"), "ok");
  EXPECT_EQ(reason("throw"), "the planted exception");
  EXPECT_EQ(reason("refuses"), "it refuses every shape");
}

TEST_F(Fault, wrong_numbers_are_incorrect) {
  const auto status = run("'wrong', 'nan', 'changes-a', 'right'");
  EXPECT_EQ(status.at("wrong"), "incorrect");
  EXPECT_EQ(status.at("nan"), "incorrect");
  EXPECT_EQ(status.at("changes-a"), "incorrect");
  EXPECT_EQ(status.at("right"), "ok") << "an input that another point changed must have been restored";
  EXPECT_EQ(finished_.exit_status, 1);
}

TEST_F(Fault, a_result_of_an_earlier_call_left_in_place_is_incorrect) {
  EXPECT_EQ(run("'late-wrong'").at("late-wrong"), "incorrect");
}

TEST_F(Fault, inputs_cut_to_bf16_are_reduced_precision) {
  EXPECT_EQ(run("'reduced'").at("reduced"), "reduced-precision");
  EXPECT_EQ(finished_.exit_status, 1);
}

TEST_F(Fault, a_shape_beyond_memory_is_out_of_memory_and_the_rest_goes_on) {
  write("huge.toml", R"(
title = "huge"
question = "does it fit?"
[settings]
precision = 0.2
[[group]]
name = "huge"
m = 900000
n = 900000
k = 16
[[group.run]]
implementation = "cpu.ikj"
label = "huge"
[[group]]
name = "small"
size = 16
[[group.run]]
implementation = "cpu.ikj"
label = "small"
)");
  finished_ = faulty(run_of("huge"));
  const auto status = statuses(path("out/huge.jsonl"));
  EXPECT_EQ(status.at("huge"), "out-of-memory") << finished_.output;
  EXPECT_EQ(status.at("small"), "ok");
}

TEST_F(Fault, a_point_predicted_to_pass_its_limit_is_skipped_with_the_prediction) {
  write("long.toml", R"(
title = "long"
question = "how long?"
[settings]
max_time_s = 0.2
precision = 0.2
[[group]]
name = "long"
size = 2000
[[group.run]]
implementation = "cpu.serial"
isa = "baseline"
label = "serial"
)");
  faulty(run_of("long"));
  const auto found = cases(path("out/long.jsonl"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].at("status"), "skipped");
  EXPECT_THAT(found[0].at("reason").get<std::string>(), ::testing::HasSubstr("predicted to take"));
}

TEST_F(Fault, a_point_of_another_machines_isa_is_unsupported_with_what_this_one_has) {
  const std::vector<std::string>& here = cpu_info().isa;
  const std::string other = std::find(here.begin(), here.end(), "neon") == here.end() ? "neon" : "avx2";
  write("isas.toml", R"(
title = "isas"
question = "which are here?"
[settings]
max_time_s = 0.2
precision = 0.2
[[group]]
name = "isas"
size = 32
[[group.run]]
implementation = "cpu.ikj"
label = "{isa}"
isa = ["baseline", ")" + other +
                         "\"]\n");
  faulty(run_of("isas"));
  const auto status = statuses(path("out/isas.jsonl"));
  EXPECT_EQ(status.at("baseline"), "ok");
  EXPECT_EQ(status.at(other), "unsupported");
  for (const auto& one : cases(path("out/isas.jsonl"))) {
    if (one.at("status") != "unsupported") continue;
    EXPECT_THAT(one.at("reason").get<std::string>(),
                ::testing::StartsWith("isa " + other + ": this machine has baseline"));
  }
}

}  // namespace
}  // namespace gemmlab::test
