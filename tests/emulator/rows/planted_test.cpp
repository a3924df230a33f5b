// `gemmlab check` on copies of gpu/gemm/tiled.cu that are wrong in one place each (CMakeLists.txt spoils them).

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/scratch.h"

namespace gemmlab::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class Planted : public ScratchFolder {
 protected:
  Finished check(const std::string& row) const {
    return shell("GEMMLAB_ROOT='" GEMMLAB_SOURCE_ROOT "' '" GEMMLAB_PLANTED_PROGRAM "' check --emulate " +
                 row);
  }

  /// The number of the line of the spoilt copy that holds `text`.
  static std::string line_of(const std::string& copy, const std::string& text) {
    const std::string source = read(std::string(GEMMLAB_SPOILT "/") + copy + ".cu");
    const std::size_t at = source.find(text);
    if (at == std::string::npos) return "not in " + copy;
    return std::to_string(1 + std::count(source.begin(), source.begin() + static_cast<long>(at), '\n'));
  }
};

TEST_F(Planted, a_wrong_index_fails_the_check) {
  const Finished done = check("gpu.planted_index");
  EXPECT_EQ(done.exit_status, 1) << done.output;
  EXPECT_THAT(done.output, ContainsRegex("gpu.planted_index +block 16 .* FAILED\n +incorrect at "));
  EXPECT_THAT(done.output, HasSubstr("checked by emulation"));
}

TEST_F(Planted, a_read_past_the_end_of_a_is_told_with_its_line) {
  const Finished done = check("gpu.planted_bounds");
  EXPECT_EQ(done.exit_status, 1) << done.output;
  EXPECT_THAT(done.output, ContainsRegex("failed at 1: At line " + line_of("bounds", "k0 + tx <= K") +
                                         " of bounds.cu .* reads A out of bounds"));
}

TEST_F(Planted, a_missing_barrier_is_told_as_a_race) {
  const Finished done = check("gpu.planted_barrier");
  EXPECT_EQ(done.exit_status, 1) << done.output;
  EXPECT_THAT(done.output, ContainsRegex("failed at .*: Race on As.* writes it at line " +
                                         line_of("barrier", "As[ty][tx] =") + " of barrier.cu"));
}

/// Of the tensor cores' kernels, each a library of its own.
class PlantedTensor : public ScratchFolder {
 protected:
  Finished check(const std::string& fault, const std::string& row) const {
    return shell(
        "GEMMLAB_PLANTED_ROWS='" GEMMLAB_PLANTED_FOLDER "/libgemmlab_planted_" + fault +
        ".so' GEMMLAB_ROOT='" GEMMLAB_SOURCE_ROOT "' '" GEMMLAB_PLANTED_PROGRAM "' check --emulate " + row);
  }
};

TEST_F(PlantedTensor, a_fragment_without_the_swizzle_of_its_tile_fails_the_check) {
  const Finished done = check("swizzle", "gpu.mma_swizzled");
  EXPECT_EQ(done.exit_status, 1) << done.output;
  EXPECT_THAT(done.output, ContainsRegex("incorrect at "));
}

TEST_F(PlantedTensor, exchanged_halves_of_a_fragment_fail_the_check) {
  const Finished done = check("fragment", "gpu.mma_sync");
  EXPECT_EQ(done.exit_status, 1) << done.output;
  EXPECT_THAT(done.output, ContainsRegex("incorrect at "));
}

TEST_F(PlantedTensor, copies_that_were_not_waited_for_fail_the_check) {
  EXPECT_EQ(check("copies", "gpu.mma_cp_async").exit_status, 1);
}

TEST_F(PlantedTensor, a_wrong_stride_in_a_descriptor_fails_the_check) {
  const Finished done = check("descriptor", "gpu.wgmma");
  EXPECT_EQ(done.exit_status, 1) << done.output;
}

TEST_F(PlantedTensor, a_phase_that_is_not_the_stages_is_told_at_its_line) {
  const Finished done = check("phase", "gpu.wgmma");
  EXPECT_EQ(done.exit_status, 1) << done.output;
  EXPECT_THAT(done.output, ContainsRegex("gpu/gemm/|at line"));
}

TEST_F(PlantedTensor, a_barrier_that_tma_may_not_see_is_told_at_its_line) {
  const Finished done = check("fence", "gpu.wgmma");
  EXPECT_EQ(done.exit_status, 1) << done.output;
  EXPECT_THAT(done.output, HasSubstr("fence.mbarrier_init"));
}

TEST_F(PlantedTensor, a_stage_that_is_overwritten_while_it_is_read_is_told_as_a_race) {
  const Finished done = check("wait", "gpu.wgmma");
  EXPECT_EQ(done.exit_status, 1) << done.output;
  EXPECT_THAT(done.output, ContainsRegex("Race on .* TMA .* wgmma"));
}

}  // namespace
}  // namespace gemmlab::test
