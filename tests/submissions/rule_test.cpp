#include <gmock/gmock.h>

#include <algorithm>

#include "experiments/runner/usage_error.h"
#include "submissions/program/rule_reader.h"
#include "tests/runner/support.h"

namespace gemmlab::submissions {
namespace {

using runner::Catalogue;
using runner::UsageError;
using ::testing::HasSubstr;

class RuleTest : public test::Scratch {
 protected:
  Rule load(const std::string& text) { return read_rule(write("rule.toml", text), catalogue_); }
  /// The message with which a rule is refused, from the line number on.
  std::string refusal(const std::string& text) {
    return refusal_of([&] { load(text); }, path("rule.toml"));
  }
  static std::vector<std::string> ids(const std::vector<Rung>& rungs) {
    std::vector<std::string> found;
    for (const Rung& rung : rungs) found.push_back(rung.id);
    return found;
  }
  Catalogue catalogue_;
};

TEST_F(RuleTest, an_empty_file_is_the_rule_of_the_header) {
  const Rule rule = load("");
  EXPECT_EQ(rule.file, path("rule.toml"));
  EXPECT_EQ(rule.rounds, Rule().rounds);
  EXPECT_TRUE(rule.priority);
  EXPECT_FALSE(load("priority = false").priority);
  EXPECT_EQ(rule.limits.build_s, Rule().limits.build_s);
  EXPECT_TRUE(rule.forbidden_headers.empty());
  EXPECT_TRUE(rule.cpu.timed.empty());
}

TEST_F(RuleTest, every_key_is_taken) {
  const Rule rule = load(
      "random_shapes = 3\nrounds = 5\nshape_s = 1.5\nforbid_libraries = false\n"
      "forbidden_headers = [\"Eigen/\", \"mkl\"]\n"
      "[limits]\nbuild_s = 7\ncall_s = 0.5\nsubmission_s = 11\nmemory_mib = 512\nthreads = 9\nfile_mib = "
      "2\n");
  EXPECT_EQ(rule.random_shapes, 3);
  EXPECT_EQ(rule.rounds, 5);
  EXPECT_EQ(rule.shape_s, 1.5);
  EXPECT_FALSE(rule.forbid_libraries);
  EXPECT_EQ(rule.forbidden_headers, (std::vector<std::string>{"Eigen/", "mkl"}));
  EXPECT_EQ(rule.limits.build_s, 7);
  EXPECT_EQ(rule.limits.call_s, 0.5);
  EXPECT_EQ(rule.limits.submission_s, 11);
  EXPECT_EQ(rule.limits.memory_mib, 512);
  EXPECT_EQ(rule.limits.threads, 9);
  EXPECT_EQ(rule.limits.file_mib, 2);
}

TEST_F(RuleTest, the_middle_number_of_a_shape_is_the_inner_dimension) {
  const Rule rule = load("[cpu]\ntimed = [\"8192x6144x4096\", \"2x3x5\"]\n");
  ASSERT_EQ(rule.cpu.timed.size(), 2u);
  EXPECT_EQ(rule.cpu.timed[0].m, 8192);
  EXPECT_EQ(rule.cpu.timed[0].k, 6144) << "k is the suite's inner dimension";
  EXPECT_EQ(rule.cpu.timed[0].n, 4096);
  EXPECT_EQ(rule.cpu.timed[1].k, 3);
}

TEST_F(RuleTest, a_rung_has_complete_parameters_and_names_those_of_the_rule) {
  const Rule rule = load("[cpu]\nladder = [\"cpu.blocked\", \"cpu.blocked block=16 threads=2\"]\n");
  ASSERT_EQ(rule.cpu.ladder.size(), 2u);
  const Rung& plain = rule.cpu.ladder[0];
  EXPECT_EQ(plain.id, "cpu.blocked");
  EXPECT_EQ(plain.label, "blocked");
  EXPECT_EQ(plain.parameters, complete(catalogue_.find("cpu.blocked")->description(), {}));
  const Rung& chosen = rule.cpu.ladder[1];
  EXPECT_EQ(chosen.label, "blocked, block 16, threads 2");
  EXPECT_EQ(integer(chosen.parameters, "block"), 16);
  EXPECT_EQ(integer(chosen.parameters, "threads"), 2);
  EXPECT_EQ(chosen.parameters.size(), plain.parameters.size());
}

TEST_F(RuleTest, rungs_of_the_gpu_are_known_without_cuda) {
  const Rule rule = load("[gpu]\nladder = [\"gpu.tiled block=32\"]\nlibrary = [\"gpu.cublas\"]\n");
  ASSERT_EQ(rule.gpu.ladder.size(), 1u);
  EXPECT_EQ(rule.gpu.ladder[0].label, "tiled, block 32");
  EXPECT_EQ(integer(rule.gpu.ladder[0].parameters, "block"), 32);
  EXPECT_EQ(ids(rule.gpu.library), (std::vector<std::string>{"gpu.cublas"}));
}

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

TEST_F(RuleTest, every_key_of_marks_is_taken) {
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

TEST_F(RuleTest, without_a_table_for_marks_there_are_none) {
  EXPECT_FALSE(load("rounds = 7\n").grading);
}

TEST_F(RuleTest, numbers_of_marks_that_are_left_out_are_those_of_the_shipped_rule) {
  const Grading shipped = read_rule(default_rule(), catalogue_).grading.value();
  const Grading mine = load("[grading]\ncorrect = 7\n").grading.value();
  EXPECT_EQ(mine.correct, 7);
  EXPECT_TRUE(mine.shares.empty());
  EXPECT_EQ(mine.most, shipped.most);
  EXPECT_EQ(mine.reduced_precision, shipped.reduced_precision);
  EXPECT_EQ(mine.warnings_at_most, shipped.warnings_at_most);
  EXPECT_EQ(mine.spills, shipped.spills);
}

TEST_F(RuleTest, right_at_all_groups_is_worth_less_than_right) {
  const Grading shipped = read_rule(default_rule(), catalogue_).grading.value();
  double together = 0;
  for (const GradedGroup& group : shipped.groups) together += group.points;
  EXPECT_EQ(shipped.groups.size(), 5u);
  EXPECT_LT(together, shipped.reduced_precision);
}

TEST_F(RuleTest, shapes_that_a_class_leaves_out_are_named_once) {
  const Rule rule = load("[cpu]\ntimed = [\"64x64x64\"]\ntimed_alone = [\"256x256x256\"]\n");
  ASSERT_EQ(rule.cpu.timed_alone.size(), 1u);
  EXPECT_EQ(rule.cpu.timed_alone[0], (Shape{256, 256, 256}));
  EXPECT_THAT(refusal("[cpu]\ntimed = [\"64x64x64\"]\ntimed_alone = [\"64x64x64\"]\n"),
              HasSubstr("'timed_alone' names '64x64x64' twice"));
}

TEST_F(RuleTest, the_speeds_that_the_shipped_rule_gives_points_for_are_timed) {
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

TEST_F(RuleTest, a_mistake_about_marks_names_line_key_value_and_what_is_allowed) {
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
      {"1024x512x256", "1024", ":18: grading, share 1: 'shape' has the shape '1024'; allowed: MxNxK"},
      {"1024x512x256", "0x1x1", "'shape' has the shape '0x1x1'; allowed: MxNxK"},
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

TEST_F(RuleTest, a_rung_that_is_asked_for_joins_the_ladder_of_its_device_once) {
  Rule rule = load("[cpu]\nladder = [\"cpu.ikj\"]\n[gpu]\nladder = [\"gpu.tiled block=32\"]");
  for (const char* entry : {"", "cpu.packed", "cpu.packed", "cpu.ikj"}) add_rung(rule, entry, catalogue_);
  EXPECT_EQ(ids(rule.cpu.ladder), (std::vector<std::string>{"cpu.ikj", "cpu.packed"}));
  for (const char* entry : {"gpu.tiled block=32", "gpu.tiled block=8"}) add_rung(rule, entry, catalogue_);
  EXPECT_EQ(ids(rule.gpu.ladder), (std::vector<std::string>{"gpu.tiled", "gpu.tiled"}));
  EXPECT_EQ(rule.gpu.ladder.back().name, "gpu.tiled block=8");
  EXPECT_THROW(add_rung(rule, "cpu.fast", catalogue_), UsageError);
}

struct Mistake {
  std::string text;
  std::string message;
};

TEST_F(RuleTest, mistakes_name_line_key_value_and_what_is_allowed) {
  const std::vector<Mistake> mistakes{
      {"\nround = 3", ":2: unknown key 'round' (did you mean 'rounds'?); allowed: random_shapes, rounds"},
      {"[limits]\ncall_ms = 3",
       ":2: limits: unknown key 'call_ms' (did you mean 'call_s'?); allowed: build_s, call_s"},
      {"rounds = 0", ":1: 'rounds' is 0; a whole number from 1 to"},
      {"[limits]\nbuild_s = \"long\"", "'build_s' is 'long'; a number from"},
      {"forbid_libraries = 1", "'forbid_libraries' is 1; allowed: true, false"},
      {"limits = 3", ":1: 'limits' must be written as [limits]"},
      {"grading = 3", ":1: 'grading' must be written as [grading]"},
      {"forbidden_headers = \"mkl\"", "'forbidden_headers' is 'mkl'; a list such as [\"Eigen/\""},
      {"forbidden_headers = [\"\"]", "a list such as [\"Eigen/\""},
      {"forbidden_headers = [3]", "'forbidden_headers' holds 3; a list such as"},
      {"this is [ not", "not valid TOML"}};
  for (const Mistake& bad : mistakes) EXPECT_THAT(refusal(bad.text), HasSubstr(bad.message)) << bad.text;
}

TEST_F(RuleTest, mistakes_in_the_shapes_and_rungs_of_a_device_are_named) {
  const std::vector<Mistake> mistakes{
      {"[cpu]\nlib = []", ":2: cpu: unknown key 'lib'; allowed: timed, timed_alone, ladder, library"},
      {"[cpu]\ntimed = [\"512x512\"]", ":2: cpu: 'timed' has the shape '512x512'; allowed: MxNxK"},
      {"[cpu]\ntimed = [\"512x0x512\"]", "has the shape '512x0x512'; allowed: MxNxK"},
      {"[cpu]\ntimed = [\"1x2x3x\"]", "has the shape '1x2x3x'"},
      {"[cpu]\ntimed = [\"1x2x 3\"]", "has the shape '1x2x 3'"},
      {"[cpu]\ntimed = [\"1x2x99999999999999999999\"]", "each from 1 to"},
      {"[cpu]\ntimed = [\"1x2x3\", \"01x2x3\"]", "'timed' names '01x2x3' twice"},
      {"[cpu]\nladder = [\n\"cpu.ikj\",\n\"cpu.fast\"]",
       ":4: cpu: unknown implementation 'cpu.fast'; allowed: cpu.serial, cpu.openmp"},
      {"[gpu]\nladder = [\"gpu.tild\"]",
       "unknown implementation 'gpu.tild' (did you mean 'gpu.tiled'?); allowed: "},
      {"[gpu]\nladder = [\"gpu.*\"]", "unknown implementation 'gpu.*'"},
      {"[cpu]\nlibrary = [\"gpu.cublas\"]", "'gpu.cublas' stands in [cpu]; allowed there: cpu.*"},
      {"[cpu]\nladder = [\"cpu.blocked blok=3\"]", ":2: cpu: "},
      {"[cpu]\nladder = [\"cpu.blocked block=17\"]", "17"},
      {"[cpu]\nladder = [\"cpu.blocked block\"]", "parameters are written as in \"gpu.tiled block=32\""},
      {"[cpu]\nladder = [\"cpu.blocked block=16 block=32\"]", "names 'block' twice"},
      {"[cpu]\nladder = [\"cpu.ikj\", \"cpu.ikj\"]", "'ladder' names 'cpu.ikj' twice"}};
  for (const Mistake& bad : mistakes) EXPECT_THAT(refusal(bad.text), HasSubstr(bad.message)) << bad.text;
}

TEST_F(RuleTest, a_missing_file_and_a_folder_are_named) {
  EXPECT_THROW(read_rule(path("none.toml"), catalogue_), UsageError);
  EXPECT_THROW(read_rule(folder_.string(), catalogue_), UsageError);
}

TEST_F(RuleTest, the_shipped_rule_states_the_values_of_the_header) {
  const Rule rule = read_rule(GEMMLAB_SOURCE_ROOT "/submissions/rules/default.toml", catalogue_);
  const Rule header;
  EXPECT_EQ(rule.random_shapes, header.random_shapes);
  EXPECT_EQ(rule.rounds, header.rounds);
  EXPECT_EQ(rule.shape_s, header.shape_s);
  EXPECT_EQ(rule.forbid_libraries, header.forbid_libraries);
  EXPECT_EQ(rule.limits.build_s, header.limits.build_s);
  EXPECT_EQ(rule.limits.call_s, header.limits.call_s);
  EXPECT_EQ(rule.limits.submission_s, header.limits.submission_s);
  EXPECT_EQ(rule.limits.memory_mib, header.limits.memory_mib);
  EXPECT_EQ(rule.limits.threads, header.limits.threads);
  EXPECT_EQ(rule.limits.file_mib, header.limits.file_mib);
  EXPECT_EQ(rule.settled, header.settled);
  EXPECT_EQ(rule.again, header.again);
  EXPECT_EQ(rule.busy, header.busy);
  EXPECT_EQ(rule.cpu.timed_alone.back(), (Shape{8192, 4096, 6144}));
  EXPECT_EQ(rule.gpu.timed.back(), (Shape{8192, 4096, 6144}));
  EXPECT_EQ(ids(rule.cpu.library),
            (std::vector<std::string>{"cpu.mkl", "cpu.openblas", "cpu.onednn", "cpu.blis"}));
  ASSERT_EQ(rule.gpu.ladder.size(), 4u);
  EXPECT_EQ(rule.gpu.ladder[2].label, "tiled, block 32");
}

}  // namespace
}  // namespace gemmlab::submissions
