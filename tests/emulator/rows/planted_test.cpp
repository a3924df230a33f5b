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

}  // namespace
}  // namespace gemmlab::test
