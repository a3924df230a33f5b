#include "runner/definition/aliases.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "gpu/table.h"
#include "tests/runner/support.h"

namespace gemmlab::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Aliases : public Scratch {};

TEST_F(Aliases, list_finds_an_implementation_by_what_others_call_it) {
  for (const char* name : {"packing", "GotoBLAS", "'goto-blas'", "打包", "cpu.packed"})
    EXPECT_EQ(Json::parse(faulty(std::string("list --json ") + name).output).at("id"), "cpu.packed") << name;
  const std::string told = faulty("list 双缓存").output;
  EXPECT_THAT(told, HasSubstr("gpu.double_buffered"));
  EXPECT_THAT(told, HasSubstr("also called: "));
  EXPECT_THAT(told, Not(HasSubstr("gpu.naive"))) << "nothing else was asked for";
}

TEST_F(Aliases, the_usual_names_are_understood) {
  ::setenv("GEMMLAB_ROOT", GEMMLAB_SOURCE_ROOT, 1);
  for (const auto& [name, id] :
       std::map<std::string, std::string>{{"GMEM coalescing", "gpu.naive"},
                                          {"SMEM blocktiling", "gpu.tiled"},
                                          {"1D blocktiling", "gpu.register_tiled_1d"},
                                          {"2d-block_tiling", "gpu.register_tiled_2d"},
                                          {"vectorize", "gpu.vector_loads"},
                                          {"warptiling", "gpu.warp_tiled"},
                                          {"sgemm_v2", "gpu.transposed_a"},
                                          {"内存合并", "gpu.naive"},
                                          {"访存优化", "gpu.vector_loads"},
                                          {"v4", "gpu.vector_loads_4x4"}}) {
    const std::optional<runner::Alias> alias = runner::alias_called(name);
    EXPECT_EQ(alias ? alias->id : "", id) << name;
  }
  EXPECT_THROW(runner::alias_called("tiling"), runner::UsageError);
  EXPECT_EQ(runner::alias_called("tiling", "gpu")->id, "gpu.tiled") << "of a card's alone";
  ::unsetenv("GEMMLAB_ROOT");
}

TEST_F(Aliases, check_understands_them) {
  const Finished check = faulty("check 'loop interchange'");
  EXPECT_EQ(check.exit_status, 0) << check.output;
  EXPECT_THAT(check.output, HasSubstr("cpu.ikj"));
}

TEST_F(Aliases, an_ambiguous_one_names_all_that_it_may_mean_in_a_line) {
  for (const char* command : {"list naive", "check naive"}) {
    const Finished done = faulty(command);
    EXPECT_EQ(done.exit_status, 2);
    EXPECT_THAT(done.output, HasSubstr("'naive' is ambiguous: cpu.serial (usual), gpu.naive (usual)\n"));
    EXPECT_EQ(std::count(done.output.begin(), done.output.end(), '\n'), 1) << done.output;
  }
}

TEST_F(Aliases, an_unknown_one_names_a_near_one_in_a_line) {
  for (const char* command : {"list '2D blocktilng'", "check '2D blocktilng'"}) {
    const Finished done = faulty(command);
    EXPECT_EQ(done.exit_status, 2);
    EXPECT_THAT(done.output,
                HasSubstr("unknown implementation '2D blocktilng' (did you mean '2D blocktiling'?)"));
    EXPECT_EQ(std::count(done.output.begin(), done.output.end(), '\n'), 1) << done.output;
  }
}

TEST_F(Aliases, each_stands_for_an_implementation_that_there_is) {
  std::vector<std::string> ids;
  const Json list = Json::parse(faulty("list --json").output);
  for (const Json& one : list.at("implementations")) ids.push_back(one.at("id"));
  for (const gpu::KnownRow& row : gpu::known_rows()) ids.push_back(row.id);
  ::setenv("GEMMLAB_ROOT", GEMMLAB_SOURCE_ROOT, 1);
  const std::vector<runner::Alias>& all = runner::aliases();
  ::unsetenv("GEMMLAB_ROOT");
  EXPECT_GT(all.size(), 60u);
  for (const runner::Alias& alias : all) EXPECT_THAT(ids, ::testing::Contains(alias.id)) << alias.name;
}

}  // namespace
}  // namespace gemmlab::test
