// What makes a recorded point stale: tried on a copy of the sources, one change at a time.

#include <gmock/gmock.h>

#include <regex>
#include <set>

#include "cpu/table.h"
#include "gpu/table.h"
#include "runner/recording/fingerprint.h"
#include "tests/runner/support.h"

namespace gemmlab::test {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

using Names = std::set<std::string>;

class SourceHashes : public Scratch {
 protected:
  void SetUp() override {
    Scratch::SetUp();
    const fs::path sources(GEMMLAB_SOURCE_ROOT);
    for (const char* folder : {"core", "operations", "cpu", "gpu", "runner", "cmake"}) {
      fs::create_directories(path(folder));
      fs::copy(sources / folder, path(folder), fs::copy_options::recursive);
    }
    fs::copy(GEMMLAB_INCLUDES, path("includes.d"));
    before_ = hashes();
  }

  Finished run(const std::string& to) const {
    return shell("'" GEMMLAB_SOURCE_HASHES "' '" + path("") + "' '" + path("includes.d") + "' '" + to + "'");
  }

  /// name -> hash, of what measures ("cpu", "gpu") and of every implementation.
  std::map<std::string, std::string> hashes() const {
    const Finished made = run(path("hashes.h"));
    EXPECT_EQ(made.exit_status, 0) << made.output;
    const std::string text = read(path("hashes.h"));
    std::map<std::string, std::string> found;
    const std::regex row("[{]\"([a-z0-9_.]+)\", \"([0-9a-f]{64})\"[}]");
    for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at)
      found[(*at)[1]] = (*at)[2];
    return found;
  }
  /// What has another hash now than at the beginning, or none.
  Names changed() const {
    std::map<std::string, std::string> now = hashes();
    Names names;
    for (const auto& [name, hash] : before_) {
      if (now[name] != hash) names.insert(name);
    }
    return names;
  }
  void replace(const std::string& file, const std::string& from, const std::string& to) {
    std::string text = read(path(file));
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << file << " has no " << from;
    write(file, text.replace(at, from.size(), to));
  }
  void append(const std::string& file, const std::string& text) { write(file, read(path(file)) + text); }

  std::map<std::string, std::string> before_;
};

TEST_F(SourceHashes, every_implementation_of_the_tables_has_one) {
  EXPECT_EQ(before_.count("cpu"), 1u);
  EXPECT_EQ(before_.count("gpu"), 1u);
  Names ids;
  for (const gpu::KnownRow& row : gpu::known_rows()) ids.insert(row.id);
  for (const Implementation* one : cpu::implementations()) ids.insert(one->description().id);
  for (const std::string& id : ids) EXPECT_EQ(before_.count(id), 1u) << id;
  EXPECT_EQ(before_.size(), ids.size() + 2) << "and nothing else has";
}

TEST_F(SourceHashes, no_file_that_may_be_measured_is_forgotten) {
  const Finished left = run("--unlisted");
  EXPECT_EQ(left.exit_status, 0) << left.output;
  EXPECT_EQ(left.output, "") << "cmake/measures.txt has to say whether these measure";
  append("core/measure_more.cpp", "int more;\n");
  EXPECT_THAT(run("--unlisted").output, ::testing::HasSubstr("core/measure_more.cpp"));
}

TEST_F(SourceHashes, comments_line_breaks_and_indentation_change_nothing) {
  append("core/timing/measure.cpp", "// another word\n/* and\n   another */\n\n");
  replace("core/timing/measure.cpp", "namespace {\n", "namespace\n  {   // here\n");
  replace("cpu/gemm/serial.cpp", "float sum = 0;", "float sum /* of products */\n          = 0;");
  EXPECT_THAT(changed(), IsEmpty());
}

TEST_F(SourceHashes, another_name_or_colour_of_an_implementation_changes_nothing) {
  replace("cpu/gemm/serial.cpp", ".name = \"serial\"", ".name = \"by the book\"");
  replace("cpu/gemm/ikj.cpp", "    .family = \"plain\",\n", "");
  replace("gpu/gemm/naive.cu", ".name = \"naive\"", ".name = \"one thread per element\"");
  EXPECT_THAT(changed(), IsEmpty());
  replace("cpu/gemm/blocked.cpp", ".default_block = 64", ".default_block = 32");
  EXPECT_THAT(changed(), ElementsAre("cpu.blocked"));
}

TEST_F(SourceHashes, text_that_looks_like_a_comment_counts) {
  append("cpu/gemm/serial.cpp", "const char* address = \"http://a\";\n");
  const auto with_a = hashes();
  replace("cpu/gemm/serial.cpp", "http://a", "http://b");
  EXPECT_NE(hashes().at("cpu.serial"), with_a.at("cpu.serial"));
  append("cpu/gemm/ikj.cpp", "int thousand = 1'000; // '\n");
  const auto with_comment = hashes();
  replace("cpu/gemm/ikj.cpp", "1'000; // '", "1'000; // another '");
  EXPECT_EQ(hashes().at("cpu.ikj"), with_comment.at("cpu.ikj"));
}

TEST_F(SourceHashes, a_kernel_changes_itself_alone) {
  append("gpu/gemm/tiled_padded.cu", "int planted;\n");
  EXPECT_THAT(changed(), ElementsAre("gpu.tiled_padded")) << "though others include tiled.h";
  append("cpu/gemm/packed/tile.cpp", "int planted;\n");
  EXPECT_THAT(changed(), ElementsAre("cpu.packed", "gpu.tiled_padded"));
}

TEST_F(SourceHashes, a_part_changes_all_that_include_it_and_no_other) {
  append("gpu/gemm/register_tile.h", "int planted;\n");
  const Names found = changed();
  EXPECT_THAT(found, Contains("gpu.register_tiled"));
  EXPECT_THAT(found, Contains("gpu.pipelined")) << "by way of its own kernel.h";
  EXPECT_THAT(found, Not(Contains("gpu.naive")));
  EXPECT_THAT(found, Not(Contains("gpu")));
}

TEST_F(SourceHashes, what_the_compiler_finds_included_counts) {
  append("includes.d", "naive.o: gpu/gemm/naive.cu gpu/gemm/transposed_b.h\n");
  EXPECT_THAT(changed(), ElementsAre("gpu.naive"));
}

TEST_F(SourceHashes, a_source_that_no_header_names_belongs_to_its_folder) {
  append("gpu/gemm/tensor/scan.cu", "int planted;\n");
  const Names found = changed();
  EXPECT_THAT(found, IsSupersetOf({"gpu.multi_tensor", "gpu.tensor", "gpu.tensor_batched"}))
      << "and to what is made of it";
  EXPECT_THAT(found, Not(Contains("gpu.pipelined")));
  EXPECT_THAT(found, Not(Contains("gpu")));
}

TEST_F(SourceHashes, what_measures_changes_every_point) {
  append("core/timing/measure.cpp", "int planted;\n");
  EXPECT_THAT(changed(), ElementsAre("cpu", "gpu"));
}

TEST_F(SourceHashes, the_cards_backend_changes_the_cards_points_alone) {
  append("gpu/backend.cpp", "int planted;\n");
  EXPECT_THAT(changed(), ElementsAre("gpu"));
}

TEST_F(SourceHashes, another_command_and_what_shows_progress_change_nothing) {
  append("runner/commands/command_list.cpp", "int planted;\n");
  append("runner/commands/command_new.cpp", "int planted;\n");
  append("runner/execution/progress.cpp", "int planted;\n");
  append("core/records/record.cpp", "int planted;\n");
  EXPECT_THAT(changed(), IsEmpty());
}

TEST_F(SourceHashes, another_kernel_changes_nothing) {
  write("gpu/gemm/newest.cu", "const Implementation& newest() {\n  return x;\n}\n");
  replace("gpu/gemm/rows.txt", "\nnaive\n", "\nnewest\nnaive\n");
  const Finished unknown = run(path("hashes.h"));
  EXPECT_EQ(unknown.exit_status, 1);
  EXPECT_THAT(unknown.output, ::testing::HasSubstr("gpu/gemm/newest.cu: no rule says what it includes"));
  append("includes.d", "newest.o: gpu/gemm/newest.cu \\\n gpu/gemm/session.h\n");
  EXPECT_THAT(changed(), IsEmpty());
  EXPECT_EQ(hashes().count("gpu.newest"), 1u);
}

TEST_F(SourceHashes, how_a_file_is_compiled_counts_for_those_that_it_is_part_of) {
  const auto are_the_cards = IsSupersetOf({"gpu.multi", "gpu.pipelined", "gpu.tensor", "gpu.tensor_batched"});
  replace("gpu/gemm/options.cmake", "-Xptxas=-O1", "-Xptxas=-O3");
  const Names of_the_card = changed();
  EXPECT_THAT(of_the_card, are_the_cards);
  EXPECT_THAT(of_the_card, Not(Contains("gpu.naive")));
  EXPECT_THAT(of_the_card, Not(Contains("cpu")));
  replace("cpu/CMakeLists.txt", "-mavx2 -mfma", "-mavx2");
  Names of_both = of_the_card;
  of_both.insert("cpu");
  EXPECT_EQ(changed(), of_both);
}

TEST(PointFingerprint, is_of_the_implementation_and_its_device) {
  EXPECT_EQ(runner::point_fingerprint("cpu.ikj"), runner::point_fingerprint("cpu.ikj"));
  EXPECT_NE(runner::point_fingerprint("cpu.ikj"), runner::point_fingerprint("cpu.openmp"));
  EXPECT_NE(runner::point_fingerprint("cpu.none"), runner::point_fingerprint("gpu.none"));
}

}  // namespace
}  // namespace gemmlab::test
