#include <gmock/gmock.h>

#include "core/machine.h"
#include "core/tuned.h"
#include "tests/runner/support.h"

namespace gemmlab::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Tune : public Scratch {
 protected:
  Finished tune(const std::string& arguments) const {
    return shell("XDG_DATA_HOME='" + path("data") +
                 "' GEMMLAB_ROOT='" GEMMLAB_SOURCE_ROOT "' '" GEMMLAB_FAULTY "' tune " + arguments);
  }
  std::vector<Tuned> known() const {
    return read_tuned(path("data") + "/gemmlab/tuned.json", cpu_info().model, "cpu.choosy");
  }
};

// cpu.choosy's choices: right, 20 ms slower, and wrong.
TEST_F(Tune, the_fastest_right_choice_is_kept_and_a_wrong_one_told) {
  const Finished first = tune("24x40x32 16x16x16 --seconds 0.1");
  EXPECT_EQ(first.exit_status, 1) << first.output;
  EXPECT_THAT(first.output, HasSubstr("wrong at M=24 N=32 K=40: incorrect"));
  ASSERT_EQ(known().size(), 2u) << first.output;
  EXPECT_EQ(known().front().shape, (Shape{24, 32, 40}));
  EXPECT_EQ(known().front().choice, "right");
  EXPECT_GT(known().front().gflop_per_s, 0);
  EXPECT_GT(known().front().over_automatic, 0);
  const Finished second = tune("8x8x8 --seconds 0.1");
  EXPECT_EQ(known().size(), 1u) << second.output;
  const Finished forgotten = tune("--forget");
  EXPECT_EQ(forgotten.exit_status, 0) << forgotten.output;
  EXPECT_THAT(known(), IsEmpty());
}

TEST_F(Tune, what_is_no_shape_is_refused) {
  for (const char* text : {"8x8", "0x8x8", "8x8x8x8", "axbxc", "8x8x9999999"}) {
    const Finished refused = tune(text);
    EXPECT_EQ(refused.exit_status, 2) << refused.output;
    EXPECT_THAT(refused.output, HasSubstr("is no shape: MxKxN")) << text;
  }
}

}  // namespace
}  // namespace gemmlab::test
