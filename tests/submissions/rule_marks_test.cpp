#include <gmock/gmock.h>

#include <algorithm>

#include "tests/submissions/rule_support.h"

namespace gemmlab::submissions {
namespace {

using ::testing::HasSubstr;

class RuleMarksTest : public RuleTest {};

constexpr const char* kGrading = R"(
[grading]
most = 20
correct = 10
reduced-precision = 4
bands = 5
[[grading.group]]
name = "squares"
where = "square"
points = 3
why = "the product is right"
[[grading.group]]
name = "edges"
where = "odd"
points = 5
why = "remainders are guarded"
[[grading.share]]
shape = "1024x512x256"
reference = "cpu.blocked"
full = 2.0
points = 4
[[grading.share]]
shape = "8192x6144x4096"
reference = "library"
device = "gpu"
full = 0.8
points = 6
[grading.deductions]
warnings = 0.5
warnings_at_most = 2
spills = 1.5
first-call = 3
)";

TEST_F(RuleMarksTest, every_key_of_marks_is_taken) {
  const Grading grading = load(kGrading).grading.value();
  EXPECT_EQ(grading.most, 20);
  EXPECT_EQ(grading.correct, 10);
  EXPECT_EQ(grading.reduced_precision, 4);
  EXPECT_EQ(grading.bands, 5);
  ASSERT_EQ(grading.groups.size(), 2u);
  EXPECT_EQ(grading.groups[0].where, "square");
  EXPECT_EQ(grading.groups[1].name, "edges");
  EXPECT_EQ(grading.groups[1].points, 5);
  EXPECT_EQ(grading.groups[1].why, "remainders are guarded");
  ASSERT_EQ(grading.shares.size(), 2u);
  EXPECT_EQ(grading.shares[0].shape, (Shape{1024, 256, 512})) << "the middle number is the inner dimension";
  EXPECT_EQ(grading.shares[0].device, "cpu") << "an entry of a ladder is of its device";
  EXPECT_EQ(grading.shares[0].full, 2.0);
  EXPECT_EQ(grading.shares[1].reference, "library");
  EXPECT_EQ(grading.shares[1].device, "gpu");
  EXPECT_EQ(grading.shares[1].points, 6);
  EXPECT_EQ(grading.warning, 0.5);
  EXPECT_EQ(grading.warnings_at_most, 2);
  EXPECT_EQ(grading.spills, 1.5);
  EXPECT_EQ(grading.first_call, 3);
}

TEST_F(RuleMarksTest, without_a_table_for_marks_there_are_none) {
  EXPECT_FALSE(load("rounds = 7\n").grading);
}

TEST_F(RuleMarksTest, numbers_of_marks_that_are_left_out_are_those_of_the_shipped_rule) {
  const Grading shipped = read_rule(default_rule(), catalogue_).grading.value();
  const Grading mine = load("[grading]\ncorrect = 7\n").grading.value();
  EXPECT_EQ(mine.correct, 7);
  EXPECT_TRUE(mine.shares.empty());
  EXPECT_EQ(mine.most, shipped.most);
  EXPECT_EQ(mine.reduced_precision, shipped.reduced_precision);
  EXPECT_EQ(mine.warnings_at_most, shipped.warnings_at_most);
  EXPECT_EQ(mine.spills, shipped.spills);
}

TEST_F(RuleMarksTest, right_at_all_groups_is_worth_less_than_right) {
  const Grading shipped = read_rule(default_rule(), catalogue_).grading.value();
  double together = 0;
  for (const GradedGroup& group : shipped.groups) together += group.points;
  EXPECT_EQ(shipped.groups.size(), 5u);
  EXPECT_LT(together, shipped.reduced_precision);
}

TEST_F(RuleMarksTest, shapes_that_a_class_leaves_out_are_named_once) {
  const Rule rule = load("[cpu]\ntimed = [\"64x64x64\"]\ntimed_alone = [\"256x256x256\"]\n");
  ASSERT_EQ(rule.cpu.timed_alone.size(), 1u);
  EXPECT_EQ(rule.cpu.timed_alone[0], (Shape{256, 256, 256}));
  EXPECT_THAT(refusal("[cpu]\ntimed = [\"64x64x64\"]\ntimed_alone = [\"64x64x64\"]\n"),
              HasSubstr("'timed_alone' names '64x64x64' twice"));
}

TEST_F(RuleMarksTest, the_speeds_that_the_shipped_rule_gives_points_for_are_timed) {
  const Rule rule = read_rule(default_rule(), catalogue_);
  const auto timed = [](const DeviceRule& device, const GradedShare& share) {
    const bool known = share.reference == "library" ||
                       std::any_of(device.ladder.begin(), device.ladder.end(),
                                   [&](const Rung& rung) { return rung.name == share.reference; });
    return known && std::count(device.timed.begin(), device.timed.end(), share.shape) == 1;
  };
  ASSERT_FALSE(rule.grading.value().shares.empty());
  EXPECT_GT(rule.grading->correct, rule.grading->reduced_precision);
  for (const GradedShare& share : rule.grading->shares) {
    if (share.device != "gpu") {
      EXPECT_TRUE(timed(rule.cpu, share)) << share.reference;
    }
    if (share.device != "cpu") {
      EXPECT_TRUE(timed(rule.gpu, share)) << share.reference;
    }
  }
}

TEST_F(RuleMarksTest, a_mistake_about_marks_names_line_key_value_and_what_is_allowed) {
  struct Mistake {
    std::string right, wrong, message;
  };
  const std::string points = "a number from 0 to 1000000 is expected";
  const std::vector<Mistake> mistakes{
      {"correct = 10", "correct = \"ten\"", ":4: grading: 'correct' is 'ten'; " + points},
      {"correct = 10", "correct = -1", "'correct' is -1; " + points},
      {"correct = 10", "correct = true", "'correct' is true; " + points},
      {"correct = 10", "correct = nan", "'correct' is nan; " + points},
      {"most = 20", "most = 0", "'most' is 0; a number from 0.001 to"},
      {"correct = 10", "corect = 10",
       "unknown key 'corect' (did you mean 'correct'?); allowed: most, correct"},
      {"bands = 5", "bands = 2.5", "grading: 'bands' is 2.5; a whole number from 0 to 100"},
      {"where = \"odd\"", "where = \"round\"",
       "group 'edges': 'where' is 'round'; allowed: square, whole, odd, thin, large"},
      {"where = \"odd\"", "where = \"square\"", "group 'edges': 'where' is 'square' in another group, too"},
      {"where = \"odd\"", "", "group 'edges': the key 'where' is missing"},
      {"why = \"remainders are guarded\"", "", "group 'edges': the key 'why' is missing"},
      {"points = 5", "points = 8",
       "group 'edges': the points of all groups together are 11; at most the 10 of 'correct' are allowed"},
      {"1024x512x256", "1024",
       ":18: grading, share 1: 'shape' has the shape '1024'; allowed: rows x inner x columns"},
      {"1024x512x256", "0x1x1", "'shape' has the shape '0x1x1'; allowed: rows x inner x columns"},
      {"device = \"gpu\"", "device = \"tpu\"", "share 2: 'device' is 'tpu'; allowed: cpu, gpu"},
      {"device = \"gpu\"", "devise = \"gpu\"", "share 2: unknown key 'devise' (did you mean 'device'?)"},
      {"\"library\"", "\"cpu.eigen\"",
       "'reference' is 'cpu.eigen'; allowed: library, or an entry of the ladder of device = \"gpu\""},
      {"\"cpu.blocked\"", "\"blocked\"", "'reference' is 'blocked'; allowed: library, or an entry"},
      {"full = 0.8", "full = 0", "share 2: 'full' is 0; a number from 0.001"},
      {"full = 0.8", "", "share 2: the key 'full' is missing"},
      {"points = 6", "points = \"6\"", "'points' is '6'; a number from"},
      {"shape = \"1024x512x256\"", "", "share 1: the key 'shape' is missing"},
      {"spills = 1.5", "spils = 1.5", "grading, deductions: unknown key 'spils' (did you mean 'spills'?)"},
      {"warnings = 0.5", "warnings = [1]", "grading, deductions: 'warnings' is [1]; " + points}};
  for (const Mistake& bad : mistakes) {
    std::string text = kGrading;
    text.replace(text.find(bad.right), bad.right.size(), bad.wrong);
    EXPECT_THAT(refusal(text), HasSubstr(bad.message)) << bad.wrong;
  }
  EXPECT_THAT(refusal("[grading]\nshare = 1"), HasSubstr("'share' must be written as [[grading.share]]"));
  EXPECT_THAT(refusal("[grading]\nshare = [1]"), HasSubstr("'share' must be written as [[grading.share]]"));
  EXPECT_THAT(refusal("[grading]\ndeductions = 2"), HasSubstr("'deductions' is 2; it must be written as"));
}

}  // namespace
}  // namespace gemmlab::submissions
