// Reports as the emulator's runtime writes them, and what the judge makes of them.

#include "submissions/judge/checking/kernel_findings.h"

#include <gmock/gmock.h>

#include "submissions/judge/checking/emulation.h"
#include "submissions/judge/inputs/shapes.h"

namespace gemmlab::submissions {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Shape kShape{33, 17, 31};  // M = 33, N = 31, K = 17

std::string report(const std::string& findings) {
  return R"({"findings": [)" + findings + R"(], "error": null, "launches": []})";
}

std::string finding(const std::string& kind, const std::string& more = "") {
  return R"({"kind": ")" + kind + R"(", "kernel": "multiply<16>", "line": 31, "other_line": 0, "array": "B",
    "block": [0, 0, 0], "thread": [3, 1, 0], "other_thread": null, "times": 17, "fatal": false,
    "text": "At line 31 something is wrong.")" +
         more + "}";
}

KernelFinding only(const std::string& json) {
  const auto found = findings_from(report(json), kShape);
  EXPECT_THAT(found, SizeIs(1));
  return found.empty() ? KernelFinding{} : found.front();
}

TEST(Findings, are_read_with_kernel_line_and_sentence) {
  const KernelFinding found = only(finding("race"));
  EXPECT_EQ(found.kind, "race");
  EXPECT_EQ(found.kernel, "multiply<16>");
  EXPECT_EQ(found.line, 31);
  EXPECT_EQ(found.times, 17);
  EXPECT_FALSE(found.fatal);
  EXPECT_TRUE(found.shape == kShape);
}

TEST(Findings, of_any_other_form_are_left_out_since_submitted_code_ran_where_they_were_written) {
  for (const char* text : {"", "nonsense", "[]", "{}", R"({"findings": 3})",
                           R"({"findings": [3, null, "x", {}]})", R"({"findings": [{"kind": 7}]})"})
    EXPECT_THAT(findings_from(text, kShape), IsEmpty()) << text;
  EXPECT_EQ(only(R"({"kind": "race", "line": "three", "text": "a\u001b[31mb", "fatal": 1})").text, "a [31mb");
  std::string many = finding("race");
  for (int i = 0; i < 300; ++i) many += ", " + finding("race");
  EXPECT_THAT(findings_from(report(many), kShape), SizeIs(100));
}

TEST(Findings, each_kind_has_its_verdict_and_pattern) {
  const auto judged = [](const std::string& kind) {
    const auto failure = failure_of(only(finding(kind)));
    return failure ? std::string(to_string(failure->verdict)) + " " + failure->pattern : "none";
  };
  EXPECT_EQ(judged("race"), "incorrect race");
  EXPECT_EQ(judged("uninitialised-shared"), "incorrect uninitialised-shared");
  EXPECT_EQ(judged("barrier-divergence"), "incorrect barrier-divergence");
  EXPECT_EQ(judged("warp-divergence"), "incorrect warp-divergence");
  EXPECT_EQ(judged("deadlock"), "timeout deadlock");
  EXPECT_EQ(judged("waits-for-later-block"), "timeout waits-for-later-block");
  EXPECT_EQ(judged("endless"), "timeout too-slow");
  EXPECT_EQ(judged("misaligned"), "crashed misaligned-address");
  EXPECT_EQ(judged("trap"), "crashed device-error");
  EXPECT_EQ(judged("host-touches-device"), "crashed signal");
  EXPECT_EQ(judged("illegal-address"), "out-of-bounds illegal-address");
  EXPECT_EQ(judged("index-beyond-array"), "out-of-bounds index-beyond-array");
  EXPECT_EQ(judged("invalid-launch"), "incorrect launch-refused");
  EXPECT_EQ(judged("empty-grid"), "incorrect empty-grid");
  EXPECT_EQ(judged("too-much-shared"), "build-failed too-much-shared");
  EXPECT_EQ(judged("out-of-memory"), "out-of-memory allocation-failed");
  EXPECT_EQ(judged("unordered-work"), "incorrect unordered-work");
  EXPECT_EQ(judged("of-tomorrow"), "none");
}

TEST(Findings, that_may_do_no_harm_count_only_where_c_is_wrong) {
  const auto found =
      findings_from(report(finding("invalid-launch") + ", " + finding("elements-for-bytes")), kShape);
  EXPECT_THAT(failures_of(found, Beside::kEmulator, false), IsEmpty());
  EXPECT_THAT(failures_of(found, Beside::kEmulator, true), SizeIs(2));
}

TEST(Findings, what_explains_the_others_comes_first) {
  const auto found = findings_from(
      report(finding("race") + ", " + finding("uninitialised-shared") + ", " + finding("barrier-divergence")),
      kShape);
  const auto failures = failures_of(found, Beside::kEmulator);
  ASSERT_THAT(failures, SizeIs(3));
  EXPECT_EQ(failures[0].pattern, "barrier-divergence");
}

TEST(Findings, an_errors_number_is_told_by_what_ended_the_kernel) {
  Failure device;
  device.verdict = Judged::kCrashed;
  device.pattern = "device-error";
  device.explanation = "CUDA error 719";
  const auto failure =
      ending(device, findings_from(report(finding("warp-divergence", R"(, "fatal": true)")), kShape));
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->pattern, "warp-divergence");
  EXPECT_EQ(failure->verdict, Judged::kCrashed) << "as grave as before";
}

Failure failure_with(Judged verdict, const char* pattern) {
  Failure made;
  made.verdict = verdict;
  made.pattern = pattern;
  return made;
}

TEST(Failures, a_wrong_dimension_comes_before_the_access_outside_that_follows_from_it) {
  std::vector<Failure> all = {failure_with(Judged::kIncorrect, "only-small"),
                              failure_with(Judged::kOutOfBounds, "read-past-end"),
                              failure_with(Judged::kIncorrect, "wrong-dimension")};
  most_telling_first(all);
  EXPECT_EQ(all[0].pattern, "wrong-dimension");
  EXPECT_EQ(all[1].pattern, "read-past-end");
  EXPECT_EQ(worst_of(all), Judged::kOutOfBounds);
}

TEST(Failures, what_is_certain_is_not_put_behind_a_guess) {
  std::vector<Failure> all = {failure_with(Judged::kIncorrect, "wrong-dimension"),
                              failure_with(Judged::kCrashed, "heap-overflow")};
  most_telling_first(all);
  EXPECT_EQ(all[0].pattern, "heap-overflow");
  EXPECT_EQ(worst_of({}), Judged::kCorrect);
}

TEST(Findings, an_access_outside_is_named_by_side_and_direction) {
  const auto pattern = [](const std::string& more) {
    return failure_of(only(finding("out-of-bounds", more)))->pattern;
  };
  EXPECT_EQ(pattern(R"(, "operation": "read", "offset": 2108)"), "read-past-end");
  EXPECT_EQ(pattern(R"(, "operation": "write", "offset": 2108)"), "write-past-end");
  EXPECT_EQ(pattern(R"(, "operation": "atomic", "offset": 2108)"), "write-past-end");
  EXPECT_EQ(pattern(R"(, "operation": "read", "offset": -4)"), "read-before-start");
  EXPECT_EQ(pattern(R"(, "operation": "write", "offset": -4)"), "write-before-start");
}

TEST(Findings, explain_themselves_with_kernel_and_shape) {
  const Failure failure = *failure_of(only(finding("race")));
  EXPECT_THAT(failure.explanation, HasSubstr("At line 31 something is wrong."));
  EXPECT_THAT(failure.explanation, HasSubstr("multiply<16>, at M = 33, N = 31, K = 17"));
  EXPECT_THAT(failure.hint, HasSubstr("__syncthreads()"));
}

TEST(Findings, the_same_one_at_another_shape_is_no_other) {
  std::vector<KernelFinding> known = findings_from(report(finding("race")), kShape);
  merge(known, findings_from(report(finding("race")), {1, 1, 1}));
  ASSERT_THAT(known, SizeIs(1));
  EXPECT_EQ(known[0].times, 34);
  EXPECT_TRUE(known[0].shape == kShape);
  merge(known, findings_from(report(finding("uninitialised-shared")), kShape));
  EXPECT_THAT(known, SizeIs(2));
}

TEST(Findings, one_that_a_card_would_not_survive_ends_the_checks_in_its_own_words) {
  Failure device;
  device.verdict = Judged::kOutOfBounds;
  device.pattern = "illegal-address";
  const auto found = findings_from(
      report(finding("race") + ", " + finding("out-of-bounds", R"(, "operation": "write", "offset": 2108)")),
      kShape);
  const auto failure = ending(device, found);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->pattern, "write-past-end");
  EXPECT_FALSE(ending({}, findings_from(report(finding("race")), kShape)).has_value()) << "the checks go on";
}

TEST(Findings, memory_that_was_refused_lies_behind_a_bad_address) {
  Failure refused;
  refused.verdict = Judged::kOutOfMemory;
  refused.pattern = "allocation-failed";
  const auto failure = ending(refused, findings_from(report(finding("illegal-address")), kShape));
  EXPECT_EQ(failure->pattern, "allocation-failed");
}

TEST(Findings, become_one_failure_for_each_pattern_and_line) {
  const auto found = findings_from(report(finding("race") + ", " + finding("race", R"(, "array": "C")") +
                                          ", " + finding("illegal-address")),
                                   kShape);
  const auto failures = failures_of(found, Beside::kEmulator);
  ASSERT_THAT(failures, SizeIs(1));
  EXPECT_EQ(failures[0].pattern, "race");
}

TEST(Findings, a_race_is_told_of_before_the_reads_that_it_leaves_uninitialised) {
  const std::string read = finding("uninitialised-shared", R"(, "array": "tile")");
  const auto patterns = [&](const std::string& race) {
    std::vector<std::string> made;
    for (const Failure& one :
         failures_of(findings_from(report(read + ", " + race), kShape), Beside::kEmulator))
      made.push_back(one.pattern);
    return made;
  };
  EXPECT_THAT(patterns(finding("race", R"(, "array": "tile")")), ElementsAre("race", "uninitialised-shared"));
  EXPECT_THAT(patterns(finding("race", R"(, "array": "other")")), ElementsAre("uninitialised-shared", "race"))
      << "it has nothing to do with it";
}

TEST(Findings, beside_a_card_add_what_it_does_not_see_but_not_that_the_emulator_is_slow) {
  const auto found =
      findings_from(report(finding("endless") + ", " +
                           finding("out-of-bounds", R"(, "operation": "read", "offset": 2108)")),
                    kShape);
  const auto failures = failures_of(found, Beside::kCard);
  ASSERT_THAT(failures, SizeIs(1));
  EXPECT_EQ(failures[0].pattern, "read-past-end");
}

TEST(ShapesToEmulate, are_cut_in_whole_tiles_where_they_would_take_seconds) {
  const auto shapes = shapes_to_emulate({{128, 128, 128},
                                         {129, 256, 129},
                                         {1030, 771, 517},
                                         {3, 7, 5},
                                         {2, 3, 5000},
                                         {70000, 3, 2},
                                         {70000, 1, 1},
                                         {700, 700, 3}});
  ASSERT_EQ(shapes.size(), 7) << "the longest side is left out, unless it has one column only";
  EXPECT_TRUE((shapes[5] == Shape{700, 700, 3})) << "few terms, so it stays whole";
  EXPECT_TRUE((shapes[6] == Shape{70000, 1, 1})) << "last";
  EXPECT_TRUE((shapes[0] == Shape{128, 128, 128}));
  EXPECT_TRUE((shapes[1] == Shape{129, 256, 33}))
      << "two tiles of the inner side, and still one beyond a tile";
  EXPECT_TRUE((shapes[2] == Shape{1030, 35, 37})) << "the longest side stays";
  EXPECT_TRUE((shapes[3] == Shape{3, 7, 5}));
  EXPECT_TRUE((shapes[4] == Shape{2, 3, 5000})) << "one block goes through it";
}

}  // namespace
}  // namespace gemmlab::submissions
