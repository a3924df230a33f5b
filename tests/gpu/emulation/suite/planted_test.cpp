// `gemmlab check` on copies of gpu/gemm/tiled.cu that are wrong in one place each (CMakeLists.txt spoils them).

#include <gmock/gmock.h>

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
};

TEST_F(Planted, a_wrong_index_fails_the_check) {
  const Finished done = check("gpu.planted_index");
  EXPECT_EQ(done.exit_status, 1) << done.output;
  EXPECT_THAT(done.output, ContainsRegex("gpu.planted_index +block 16 .* FAILED\n +incorrect at "));
}

TEST_F(Planted, a_read_past_the_end_of_a_is_told_with_its_line) {
  const Finished done = check("gpu.planted_bounds");
  EXPECT_EQ(done.exit_status, 1) << done.output;
  EXPECT_THAT(done.output, ContainsRegex("failed at .*tiled_kernel.*line " GEMMLAB_BOUNDS_LINE));
}

TEST_F(Planted, a_missing_barrier_is_told_as_a_race) {
  const Finished done = check("gpu.planted_barrier");
  EXPECT_EQ(done.exit_status, 1) << done.output;
  EXPECT_THAT(done.output, ContainsRegex("failed at .*As.*line"));
}

TEST_F(Planted, the_copy_that_was_not_spoilt_is_right) {
  const Finished done = check("gpu.planted_nothing");
  EXPECT_EQ(done.exit_status, 0) << done.output;
  EXPECT_THAT(done.output, HasSubstr("checked by emulation"));
}

}  // namespace
}  // namespace gemmlab::test
