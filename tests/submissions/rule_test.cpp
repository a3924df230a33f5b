#include <gmock/gmock.h>

#include <algorithm>

#include "runner/usage_error.h"
#include "tests/submissions/rule_support.h"

namespace gemmlab::submissions {
namespace {

using runner::UsageError;
using ::testing::HasSubstr;

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

TEST_F(RuleTest, a_rung_that_is_asked_for_joins_the_ladder_of_its_device_once) {
  Rule rule = load("[cpu]\nladder = [\"cpu.ikj\"]\n[gpu]\nladder = [\"gpu.tiled block=32\"]");
  for (const char* entry : {"", "cpu.packed", "cpu.packed", "cpu.ikj"}) add_rung(rule, entry, catalogue_);
  EXPECT_EQ(ids(rule.cpu.ladder), (std::vector<std::string>{"cpu.ikj", "cpu.packed"}));
  for (const char* entry : {"gpu.tiled block=32", "gpu.tiled block=8"}) add_rung(rule, entry, catalogue_);
  EXPECT_EQ(ids(rule.gpu.ladder), (std::vector<std::string>{"gpu.tiled", "gpu.tiled"}));
  EXPECT_EQ(rule.gpu.ladder.back().name, "gpu.tiled block=8");
  EXPECT_THROW(add_rung(rule, "cpu.fast", catalogue_), UsageError);
}

TEST_F(RuleTest, solve_takes_float32_in_its_own_order_unless_the_rule_says_otherwise) {
  EXPECT_TRUE(load("").solve.usual());
  EXPECT_TRUE(
      load("type = \"float32\"\nresult = \"float32\"\ninner = \"N\"\nalpha_beta = false").solve.usual());
  const SolveForm half = load("type = \"float16\"\ninner = \"K\"\nalpha_beta = true").solve;
  EXPECT_EQ(half.types, (GemmTypes{ElementType::kFloat16, ElementType::kFloat16}));
  EXPECT_TRUE(half.inner_k && half.alpha_beta);
  EXPECT_EQ(load("type = \"bfloat16\"\nresult = \"float32\"").solve.types.result, ElementType::kFloat32);
  EXPECT_EQ(load("type = \"int8\"").solve.types.result, ElementType::kInt32);
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
      {"type = \"half\"", ":1: 'type' is 'half'; allowed: float32, float16, bfloat16, int8"},
      {"type = 16", ":1: 'type' is 16; a text in quotes is expected"},
      {"type = \"float16\"\nresult = \"int32\"", ":2: 'result' is 'int32'; allowed: float16, float32"},
      {"result = \"float16\"", ":1: 'result' is 'float16'; allowed: float32"},
      {"type = \"int8\"\nresult = \"int8\"", ":2: 'result' is 'int8'; allowed: int32"},
      {"inner = \"M\"", ":1: 'inner' is 'M'; allowed: N, K"},
      {"alpha_beta = \"yes\"", ":1: 'alpha_beta' is 'yes'; allowed: true, false"},
      {"type = \"int8\"\nalpha_beta = true",
       ":2: 'alpha_beta' is true with type = \"int8\", whose products are not scaled; allowed: false"},
      {"type = \"float16\"\n[grading]\nmost = 10\ncorrect = 10\n[[grading.share]]\nshape = "
       "\"1x1x1\"\nreference = "
       "\"library\"\nfull = 1\npoints = 1",
       ":5: grading: 'share' gives points for speed, which only the usual solve is timed for; allowed "
       "without "
       "'type', 'inner' and 'alpha_beta'"},
      {"this is [ not", "not valid TOML"}};
  for (const Mistake& bad : mistakes) EXPECT_THAT(refusal(bad.text), HasSubstr(bad.message)) << bad.text;
}

TEST_F(RuleTest, mistakes_in_the_shapes_and_rungs_of_a_device_are_named) {
  const std::vector<Mistake> mistakes{
      {"[cpu]\nlib = []", ":2: cpu: unknown key 'lib'; allowed: timed, timed_alone, ladder, library"},
      {"[cpu]\ntimed = [\"512x512\"]",
       ":2: cpu: 'timed' has the shape '512x512'; allowed: rows x inner x columns"},
      {"[cpu]\ntimed = [\"512x0x512\"]", "has the shape '512x0x512'; allowed: rows x inner x columns"},
      {"[cpu]\ntimed = [\"1x2x3x\"]", "has the shape '1x2x3x'"},
      {"[cpu]\ntimed = [\"1x2x 3\"]", "has the shape '1x2x 3'"},
      {"[cpu]\ntimed = [\"1x2x99999999999999999999\"]", "each from 1 to"},
      {"[cpu]\ntimed = [\"1x2x3\", \"01x2x3\"]", "'timed' names '01x2x3' twice"},
      {"[cpu]\nladder = [\n\"cpu.ikj\",\n\"cpu.fast\"]",
       ":4: cpu: unknown implementation 'cpu.fast'; the nearest: cpu."},
      {"[gpu]\nladder = [\"gpu.tild\"]",
       "unknown implementation 'gpu.tild' (did you mean 'gpu.tiled'?); the nearest: gpu.tiled, "},
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
  EXPECT_TRUE(rule.solve.usual());
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
