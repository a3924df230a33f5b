// Lists in a [[group.run]]: which points they make, and what these are called.

#include <gmock/gmock.h>

#include <algorithm>

#include "core/machine/machine.h"
#include "gpu/table.h"
#include "tests/runner/definition/definition_support.h"

namespace gemmlab::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Labels = std::vector<std::string>;

/// A row of the GPU's that any build has, and that is only ever described.
class DescribedRow : public Implementation {
 public:
  const Description& description() const override { return description_; }
  std::string why_not(const Instance&, const Parameters&) const override { return {}; }
  std::unique_ptr<Session> prepare(const Instance&, const Parameters&) const override { return {}; }

 private:
  Description description_{
      .id = "gpu.example",
      .device = Device::kGpu,
      .name = "example {block}",
      .parameters = {
          {.name = "block", .choices = {std::int64_t{8}, std::int64_t{32}}, .default_value = std::int64_t{8}},
          {.name = "math",
           .choices = {std::string("plain"), std::string("fast")},
           .default_value = std::string("plain"),
           .told = ", {math}"},
          {.name = "order",
           .choices = {std::string("rows"), std::string("columns")},
           .default_value = std::string("rows")}}};
};

class Lists : public DefinitionTest {
 protected:
  void SetUp() override {
    DefinitionTest::SetUp();
    catalogue_ = Catalogue({&row_});
  }
  std::vector<Point> points(const std::string& run, const std::string& more = "") {
    std::vector<Point> all;
    for (const Group& one : load(group("size = 64", run) + more).groups)
      all.insert(all.end(), one.points.begin(), one.points.end());
    return all;
  }
  Labels labels(const std::string& run, const std::string& more = "") {
    Labels all;
    for (const Point& point : points(run, more)) all.push_back(point.label);
    return all;
  }
  /// The text of a run: what stands behind `implementation =`, and further keys.
  static std::string of(const std::string& id, const std::string& keys = "") {
    return "implementation = " + id + "\n" + keys;
  }
  static std::string next(const std::string& run) { return "[[group.run]]\n" + run + "\n"; }

  DescribedRow row_;
};

TEST_F(Lists, implementations_are_lines_in_their_order_called_as_everywhere) {
  EXPECT_THAT(labels(of(R"(["cpu.register_blocked", "cpu.openmp", "cpu.ikj", "cpu.openmp"])")),
              ElementsAre("register-blocked", "OpenMP", "ikj"));
}

TEST_F(Lists, threads_of_one_core_and_of_all_are_told_in_words) {
  EXPECT_THAT(labels(of(R"(["cpu.ikj", "cpu.blocked"])", R"(threads = [1, "cores"])")),
              ElementsAre("ikj, one core", "ikj, all cores", "blocked, one core", "blocked, all cores"));
  EXPECT_THAT(labels(of(R"(["cpu.serial", "cpu.openmp"])", R"(threads = "cores")")),
              ElementsAre("serial", "OpenMP, all cores"));
  EXPECT_THAT(labels(of(R"("cpu.ikj")", "threads = [1, 3]")), ElementsAre("ikj, 1 thread", "ikj, 3 threads"));
  EXPECT_THAT(labels(of(R"("cpu.ikj")", "threads = 3")), ElementsAre("ikj"));
}

TEST_F(Lists, scopes_and_memories_are_crossed_where_they_mean_something) {
  const std::string regime = R"(scope = ["kernel", "call", "end-to-end"]
host_memory = ["pinned", "pageable"])";
  EXPECT_THAT(labels(of(R"(["cpu.ikj", "gpu.example"])", regime)),
              ElementsAre("ikj", "ikj, call", "ikj, end to end", "example 8", "example 8, call",
                          "example 8, end to end, pinned", "example 8, end to end, pageable"));
  EXPECT_THAT(labels(of(R"("gpu.example")", R"(scope = "first-call"
module_loading = ["lazy", "eager"])")),
              ElementsAre("example 8, lazy loading", "example 8, eager loading"));
  EXPECT_THAT(labels(of(R"("gpu.example")", R"(scope = "end-to-end"
allocation = ["not counted", "counted", "host memory too"])")),
              ElementsAre("example 8", "example 8, allocation counted", "example 8, all memory counted"));
  EXPECT_THAT(labels(of(R"("cpu.ikj")", R"(load = ["burst", "sustained"])")),
              ElementsAre("ikj", "ikj, sustained"));
}

TEST_F(Lists, make_the_points_that_runs_of_their_own_would) {
  const std::string regime = "block = 32\nscope = \"end-to-end\"\nhost_memory = ";
  const std::vector<Point> listed = points(of(R"(["cpu.blocked", "gpu.example"])",
                                              "block = 32\nscope = [\"kernel\", \"end-to-end\"]\n"
                                              "host_memory = [\"pinned\", \"pageable\"]"));
  const std::vector<Point> apart = points(of(R"("cpu.blocked")", "block = 32"),
                                          next(of(R"("cpu.blocked")", "block = 32\nscope = \"end-to-end\"")) +
                                              next(of(R"("gpu.example")", "block = 32")) +
                                              next(of(R"("gpu.example")", regime + "\"pinned\"")) +
                                              next(of(R"("gpu.example")", regime + "\"pageable\"")));
  ASSERT_EQ(listed.size(), apart.size());
  for (std::size_t i = 0; i < apart.size(); ++i)
    EXPECT_EQ(listed[i].case_id(), apart[i].case_id()) << listed[i].label;
}

TEST_F(Lists, a_parameter_goes_to_those_that_have_it) {
  const std::vector<Point> all = points(of(R"(["cpu.ikj", "cpu.blocked"])", "block = 32\nthreads = 1"));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].parameters.count("block"), 0u);
  EXPECT_EQ(integer(all[1].parameters, "block"), 32);
  EXPECT_THAT(
      refusal(group("size = 64", of(R"(["cpu.ikj", "cpu.openmp"])", "block = 32"))),
      HasSubstr(":8: group 'g', run 1: unknown key 'block'; allowed: implementation, label, handicap"));
}

TEST_F(Lists, a_label_says_what_the_name_does_not) {
  EXPECT_THAT(labels(of(R"("gpu.example")", "block = \"all\"")), ElementsAre("example 8", "example 32"));
  EXPECT_THAT(labels(of(R"("gpu.example")", "math = \"all\"")), ElementsAre("example 8", "example 8, fast"));
  EXPECT_THAT(labels(of(R"("gpu.example")", "order = \"all\"")),
              ElementsAre("example 8, order rows", "example 8, order columns"));
}

TEST_F(Lists, holes_of_a_label_are_filled) {
  const std::string swept = "block = [8, 32]\nscope = [\"kernel\", \"call\"]\nlabel = ";
  const auto labels_of = [&](const std::string& label) {
    return labels(of(R"("gpu.example")", swept + '"' + label + '"'));
  };
  EXPECT_THAT(labels_of("{method}, {varied}"), ElementsAre("example, block 8", "example, block 8, call",
                                                           "example, block 32", "example, block 32, call"));
  EXPECT_THAT(labels_of("{block}: {name}, {varied}"),
              ElementsAre("8: example 8", "8: example 8, call", "32: example 32", "32: example 32, call"));
  EXPECT_THAT(labels_of("{block} {order}, {scope}"),
              ElementsAre("8 rows, kernel", "8 rows, call", "32 rows, kernel", "32 rows, call"));
}

TEST_F(Lists, names_of_others_and_whole_tables_may_stand_in_them) {
  const Definition definition = load(group("size = 64", of(R"(["loop interchange", "cpu.serial"])")));
  ASSERT_EQ(definition.groups[0].points.size(), 2u);
  EXPECT_EQ(definition.groups[0].points[0].implementation, "cpu.ikj");
  EXPECT_EQ(definition.notes, Labels{"'loop interchange' is cpu.ikj"});
  EXPECT_EQ(points(of(R"(["cpu.ikj", "cpu.*"])")).size(), points(of(R"("cpu.*")")).size());
}

TEST_F(Lists, what_this_build_lacks_leaves_the_others) {
  if (gpu::built_with_cuda()) GTEST_SKIP() << "this build lacks nothing";
  const Definition definition =
      load(group("size = 64", of(R"(["cpu.ikj", "gpu.tiled", "gpu.cublas"])", "block = 32")));
  EXPECT_EQ(definition.groups.at(0).points.size(), 1u);
  ASSERT_EQ(definition.left_out.size(), 2u);
  EXPECT_EQ(definition.left_out[1].implementation, "gpu.cublas");
}

TEST_F(Lists, exclusions_may_name_several) {
  const std::string two = of(R"(["cpu.ikj", "cpu.blocked", "cpu.serial"])");
  const auto left = [&](const std::string& exclusion) {
    return labels(two, "[[group.exclude]]\nreason = \"r\"\n" + exclusion + "\n");
  };
  EXPECT_THAT(left(R"(implementation = ["cpu.ikj", "cpu.serial"])"), ElementsAre("blocked"));
  EXPECT_THAT(left("implementation = [\"cpu.ikj\", \"cpu.blocked\"]\nblock = 64"),
              ElementsAre("ikj", "serial"));
  if (gpu::built_with_cuda()) return;
  EXPECT_THAT(left("implementation = [\"cpu.serial\", \"gpu.tiled\"]\ntile = 3"),
              ElementsAre("ikj", "blocked", "serial"))
      << "a parameter that cpu.serial has not";
}

TEST_F(Lists, the_flagship_fits_on_one_screen) {
  const std::string text = read(std::string(GEMMLAB_SOURCE_ROOT) + "/experiments/cpu_vs_gpu.toml");
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 80);
}

}  // namespace
}  // namespace gemmlab::runner
