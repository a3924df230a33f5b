#include "runner/execution/disturbance.h"

#include <gmock/gmock.h>

#include "core/machine/machine.h"
#include "tests/runner/support.h"

namespace gemmlab::runner {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kFourCores = 4;

/// A point of one timed second that waited for a core, or lost one to the hypervisor, for so long.
Json timed_second(double waited_s, double steal_s, int threads = 1) {
  return {{"implementation", "cpu.ikj"},
          {"device", "cpu"},
          {"parameters", {{"threads", threads}}},
          {"threads_actual", threads},
          {"status", "ok"},
          {"samples_s", {0.5, 0.5}},
          {"calls_per_sample", 1},
          {"phases_s", {{"timed", 1.0}}},
          {"run_queue_delay_s", waited_s},
          {"steal_s", steal_s}};
}

TEST(Disturbance, is_a_core_lost_for_over_5_per_cent_of_the_timed_seconds) {
  EXPECT_FALSE(disturbed(timed_second(0.05, 0), kFourCores));
  EXPECT_TRUE(disturbed(timed_second(0.051, 0), kFourCores));
  EXPECT_TRUE(disturbed(timed_second(0, 0.051), kFourCores));
  Json untold = timed_second(0, 0);
  untold["run_queue_delay_s"] = nullptr;
  untold["steal_s"] = nullptr;
  EXPECT_FALSE(disturbed(untold, kFourCores));
  Json untimed = timed_second(0.06, 0);
  untimed["phases_s"] = Json::object();
  EXPECT_TRUE(disturbed(untimed, kFourCores)) << "its samples are a second";
  untimed["calls_per_sample"] = 2;
  EXPECT_FALSE(disturbed(untimed, kFourCores)) << "they are two";
}

TEST(Disturbance, of_more_threads_than_cores_cannot_be_told_from_waiting) {
  EXPECT_TRUE(disturbed(timed_second(0.5, 0, kFourCores), kFourCores));
  EXPECT_FALSE(disturbed(timed_second(0.5, 0, kFourCores + 1), kFourCores));
  EXPECT_TRUE(disturbed(timed_second(0.5, 0.1, kFourCores + 1), kFourCores));
}

TEST(Disturbance, counts_points_that_have_a_number) {
  Disturbance disturbance(kFourCores);
  disturbance.add(timed_second(0, 0));
  EXPECT_EQ(disturbance.text("out"), "");
  disturbance.add(timed_second(1, 0));
  Json failed = timed_second(1, 0);
  failed["status"] = "failed";
  disturbance.add(failed);
  EXPECT_THAT(disturbance.text("out"), HasSubstr("1 of 2 points: other work took their cores"));
}

class DisturbedRun : public test::Scratch {};

TEST_F(DisturbedRun, is_told_from_where_on_the_report_tells_it) {
  EXPECT_THAT(read(GEMMLAB_SOURCE_ROOT "/records/cases/case.py"), HasSubstr("\nMOST_DISTURBED = 0.05 "));
}

TEST_F(DisturbedRun, ends_with_the_number_of_points_that_other_work_disturbed) {
  write("busy.toml",
        "title = \"t\"\nquestion = \"q\"\n[settings]\nmin_time_s = 0.5\nprecision = 1\ntwins = false\n"
        "[[group]]\nname = \"g\"\nsize = 100\n[[group.run]]\nimplementation = \"cpu.ikj\"\nthreads = 1\n");
  // one core for the run and a loop that never ends: each gets half of it
  const Finished run = shell(
      "(core=$(taskset -cp $$ | grep -o '[0-9]*$')\ntaskset -c $core sh -c 'while :; do :; done' & busy=$!\n"
      "GEMMLAB_ROOT='" GEMMLAB_SOURCE_ROOT "' taskset -c $core '" GEMMLAB_FAULTY "' " +
      run_of("busy") + "; status=$?; kill $busy; exit $status)");
  EXPECT_EQ(run.exit_status, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("1 of 1 points: other work took their cores"));
}

}  // namespace
}  // namespace gemmlab::runner
