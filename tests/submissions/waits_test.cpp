// Who waited for a processor, told by planted files and numbers of the kernel.

#include "submissions/judge/processes/waits.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/scratch.h"

namespace gemmlab::submissions {
namespace {

/// The kernel's files are planted in a folder.
class WaitsTest : public test::ScratchFolder {
 protected:
  void plant(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((folder_ / file).parent_path());
    write(file, text);
  }
  SchedulerLook look() const { return look_at_scheduler(7, folder_.string()); }
};

TEST_F(WaitsTest, what_the_kernel_says_is_read_in_seconds) {
  plant("7/task/7/schedstat", "2000000000 30000000 12\n");
  plant("7/task/9/schedstat", "1000000000 0 3\n");
  plant("thread-self/schedstat", "5 4000000 1\n");
  plant("stat", "cpu  1 2 3 4 5 6 7 80 0 0\ncpu0 1 1 1 1 1 1 1 40 0 0\ncpu1 1 1 1 1 1 1 1 40 0 0\nintr 5\n");
  plant("pressure/cpu",
        "some avg10=1.5 avg60=0.0 avg300=0.0 total=2500000\nfull avg10=0 avg60=0 avg300=0 total=9\n");
  const SchedulerLook seen = look();
  ASSERT_EQ(seen.threads.size(), 2U);
  EXPECT_DOUBLE_EQ(seen.threads.at(7).ran_s, 2);
  EXPECT_DOUBLE_EQ(seen.threads.at(7).waited_s, 0.03);
  EXPECT_DOUBLE_EQ(seen.judge_waited_s, 0.004);
  EXPECT_DOUBLE_EQ(seen.stolen_s, 40.0 / static_cast<double>(sysconf(_SC_CLK_TCK))) << "per processor";
  ASSERT_TRUE(seen.anybody_waited_s);
  EXPECT_DOUBLE_EQ(*seen.anybody_waited_s, 2.5);
}

TEST_F(WaitsTest, a_kernel_that_tells_nothing_leaves_nothing_to_wait_for) {
  const SchedulerLook seen = look();
  EXPECT_TRUE(seen.threads.empty());
  EXPECT_EQ(seen.stolen_s, 0);
  EXPECT_FALSE(seen.anybody_waited_s);
  EXPECT_EQ(waited_s(seen, seen, 1), 0);
}

constexpr double kLong_s = 100;  ///< so that the processors were mostly free
double waited(const SchedulerLook& before, const SchedulerLook& after) {
  return waited_s(before, after, kLong_s, 2);
}

SchedulerLook looked(std::map<int, Turns> threads, double cpu_s) {
  SchedulerLook look;
  look.threads = std::move(threads);
  look.cpu_s = cpu_s;
  return look;
}

TEST_F(WaitsTest, threads_that_work_count_with_the_judge_and_with_other_virtual_machines) {
  const SchedulerLook before = looked({{1, {5, 1}}, {2, {5, 2}}}, 10);
  SchedulerLook after = looked({{1, {6, 1.25}}, {2, {6, 2.5}}}, 12);
  EXPECT_DOUBLE_EQ(waited(before, after), 0.75);
  after.judge_waited_s = 0.125;
  after.stolen_s = 0.5;
  EXPECT_DOUBLE_EQ(waited(before, after), 1.375);
}

TEST_F(WaitsTest, idle_threads_that_wake_to_be_stopped_do_not_count_and_one_that_never_got_its_turn_does) {
  std::map<int, Turns> threads{{1, {1, 0}}};
  for (int id = 2; id < 66; ++id) threads[id] = {1e-5, 2e-3};
  EXPECT_DOUBLE_EQ(waited(looked({}, 0), looked(threads, 1)), 0);
  EXPECT_DOUBLE_EQ(waited(looked({}, 0), looked({{1, {1, 0}}, {2, {0, 0.5}}}, 1)), 0.5);
}

TEST_F(WaitsTest, threads_that_came_and_went_are_seen_by_what_they_ran) {
  SchedulerLook before = looked({{1, {5, 0}}}, 5), after = looked({{1, {5.5, 0}}}, 6.5);
  EXPECT_EQ(waited(before, after), 0) << "the kernel does not tell who waited";
  before.anybody_waited_s = 3;
  after.anybody_waited_s = 3.25;
  EXPECT_DOUBLE_EQ(waited(before, after), 0.25);
  after.cpu_s = 5.5;
  EXPECT_EQ(waited(before, after), 0) << "all are there still, and none of them waited";
}

TEST_F(WaitsTest, a_new_thread_with_the_number_of_an_old_one_counts_from_its_beginning) {
  EXPECT_DOUBLE_EQ(waited(looked({{1, {5, 4}}}, 5), looked({{1, {1, 0.5}}}, 6)), 0.5);
}

TEST_F(WaitsTest, threads_that_have_all_processors_wait_for_each_other_alone) {
  const SchedulerLook before = looked({}, 0),
                      after = looked({{1, {1, 1}}, {2, {1, 1}}, {3, {1, 1}}, {4, {1, 1}}}, 4);
  EXPECT_DOUBLE_EQ(waited_s(before, after, 2, 2), 0);
  EXPECT_DOUBLE_EQ(waited_s(before, after, 2.5, 2), 1) << "others may have had as much";
  EXPECT_DOUBLE_EQ(waited_s(before, after, 8, 2), 4);
}

TEST_F(WaitsTest, this_process_is_found_in_the_kernels_own_files) {
  const SchedulerLook seen = look_at_scheduler(getpid());
  EXPECT_EQ(seen.threads.count(getpid()), 1U);
  EXPECT_GT(seen.cpu_s, 0);
}

}  // namespace
}  // namespace gemmlab::submissions
