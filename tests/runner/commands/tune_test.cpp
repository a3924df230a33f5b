#include <gmock/gmock.h>

#include "core/machine/machine.h"
#include "operations/tuned.h"
#include "tests/runner/support.h"

namespace gemmlab::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Tune : public Scratch {
 protected:
  std::string command(const std::string& arguments) const {
    return "XDG_DATA_HOME='" + path("data") +
           "' GEMMLAB_ROOT='" GEMMLAB_SOURCE_ROOT "' '" GEMMLAB_FAULTY "' tune " + arguments;
  }
  Finished tune(const std::string& arguments) const { return shell(command(arguments)); }
  std::vector<Tuned> known() const {
    return read_tuned(path("data") + "/gemmlab/tuned.json", cpu_info().model, "cpu.choosy");
  }
};

// cpu.choosy's choices: right, 20 ms slower, and wrong.
TEST_F(Tune, the_fastest_right_choice_is_kept_and_a_wrong_one_told) {
  const Finished first = tune("24x32x40 16x16x16 --seconds 0.1");
  EXPECT_EQ(first.exit_status, 1) << first.output;
  EXPECT_THAT(first.output, HasSubstr("wrong at 24×32×40 (M×N×K): incorrect"));
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

TEST_F(Tune, what_was_found_before_an_interruption_is_kept) {
  std::string shapes;
  for (int size = 16; size < 400; ++size) shapes += " 8x8x" + std::to_string(size);
  const std::string output = "'" + path("told") + "'";
  const Finished stopped =
      shell("(" + command(shapes + " --seconds 0.1") + " > " + output +
            " & tuning=$!\n"
            "while kill -0 $tuning && ! grep -q 8×8×17 " +
            output + "; do sleep 0.05; done\nkill -TERM $tuning; wait $tuning; status=$?\n" + "cat " +
            output + "; exit $status)");
  EXPECT_EQ(stopped.exit_status, 143) << stopped.output;
  EXPECT_THAT(stopped.output, HasSubstr("Interrupted. The choices for"));
  ASSERT_GE(known().size(), 2u) << stopped.output;
  EXPECT_EQ(known().front().shape, (Shape{8, 8, 16}));
}

TEST_F(Tune, earlier_choices_outlive_an_end_before_the_first_shape_is_done) {
  tune("16x16x16 --seconds 0.1");
  ASSERT_EQ(known().size(), 1u);
  for (const std::string signal : {"KILL", "TERM"}) {
    const std::string output =
        "'" + path("told by " + signal) + "'";  // of its own: the other's says "fastest" at once
    const Finished ended =
        shell("(exec env " + command("8x8x8 8x8x9 8x8x10 8x8x11 --seconds 30") + " > " + output +
              ") & tuning=$!\nwhile kill -0 $tuning && ! grep -q fastest " + output +
              "; do sleep 0.05; done\nkill -" + signal + " $tuning; wait $tuning; cat " + output);
    ASSERT_EQ(known().size(), 1u) << ended.output;
    EXPECT_EQ(known().front().shape, (Shape{16, 16, 16}));
    EXPECT_EQ(signal == "TERM", ended.output.find("No shape was done") != std::string::npos) << ended.output;
  }
}

TEST_F(Tune, seconds_are_a_number_within_limits) {
  for (const char* text : {"nan", "inf", "-1", "61", "x"}) {
    const Finished refused = tune(std::string("8x8x8 --seconds ") + text);
    EXPECT_EQ(refused.exit_status, 2) << text;
    EXPECT_THAT(refused.output, HasSubstr(std::string("'") + text + "' is not a number from 0.05 to 60"));
  }
}

TEST_F(Tune, what_is_no_shape_is_refused) {
  for (const char* text : {"8x8", "0x8x8", "8x8x8x8", "axbxc", "8x8x9999999"}) {
    const Finished refused = tune(text);
    EXPECT_EQ(refused.exit_status, 2) << refused.output;
    EXPECT_THAT(refused.output, HasSubstr("is not a shape: MxNxK")) << text;
  }
}

}  // namespace
}  // namespace gemmlab::test
