#include "core/machine/thread_watch.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <thread>

#include "core/machine/machine.h"
#include "tests/core/machine/busy.h"

namespace gemmlab {
namespace {

using test::work_for;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::set<int> processors_of(int tid) {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(tid, sizeof set, &set), 0);
  std::set<int> processors;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) processors.insert(i);
  }
  return processors;
}

/// A thread that does what it is told, and sleeps in between.
class Helper {
 public:
  Helper() : thread_([this] { serve(); }) {
    run([] {});
  }
  ~Helper() {
    stop_ = true;
    begin([] {});
    thread_.join();
  }
  int tid() const { return tid_; }
  void begin(std::function<void()> work) {
    work_ = std::move(work);
    done_ = false;
    ++asked_;
    asked_.notify_one();
  }
  void finish() { done_.wait(false); }
  void run(std::function<void()> work) {
    begin(std::move(work));
    finish();
  }

 private:
  void serve() {
    tid_ = this_thread_id();
    for (int served = 0; !stop_; ++served) {
      asked_.wait(served);
      work_();
      done_ = true;
      done_.notify_one();
    }
  }
  std::atomic<int> asked_ = 0;
  std::atomic<bool> done_ = false;
  std::atomic<bool> stop_ = false;
  std::atomic<int> tid_ = 0;
  std::function<void()> work_;
  std::thread thread_;
};

/// Until it sleeps: what it does after its work would count as a run.
void let_sleep(ThreadWatch& watch) {
  ASSERT_TRUE(watch.wait_until_others_sleep(5));
}

constexpr int kAttempts = 20;

TEST(ThreadWatch, finds_the_threads_that_ran_and_no_others) {
  ThreadWatch watch;
  watch.start();
  Helper busy;
  Helper idle;
  let_sleep(watch);
  watch.start();
  work_for(milliseconds(1));
  EXPECT_EQ(watch.ran().tids, (std::vector<int>{this_thread_id()}));
  // The clocks of threads and process are read one after another: interrupted between two, they seem not to
  // agree.
  ThreadsRan ran;
  for (int attempt = 0; attempt < kAttempts && (attempt == 0 || ran.came_and_went); ++attempt) {
    watch.start();
    busy.run([] { work_for(milliseconds(1)); });
    ran = watch.ran();
  }
  EXPECT_EQ(std::set<int>(ran.tids.begin(), ran.tids.end()), (std::set<int>{this_thread_id(), busy.tid()}));
  EXPECT_FALSE(ran.came_and_went);
}

TEST(ThreadWatch, notices_threads_that_came_and_went) {
  ThreadWatch watch;
  watch.start();
  std::thread([] { work_for(milliseconds(5)); }).join();
  EXPECT_TRUE(watch.ran().came_and_went);
  bool again = true;
  for (int attempt = 0; attempt < kAttempts && again; ++attempt) {
    watch.start();
    work_for(milliseconds(5));
    again = watch.ran().came_and_went;
  }
  EXPECT_FALSE(again);
}

TEST(ThreadWatch, a_thread_that_ends_counts_by_what_it_worked) {
  const auto ended_after = [](bool work) {
    auto helper = std::make_unique<Helper>();
    ThreadWatch watch;
    let_sleep(watch);
    watch.start();
    work_for(milliseconds(10));  // beside which the end itself, some 30 µs, is little
    if (work) helper->run([] { work_for(milliseconds(5)); });
    const std::vector<int> tid{helper->tid()};
    helper.reset();
    while (watch.alive(tid)) {  // a thread that was joined takes some microseconds more to leave
    }
    return watch.ran().came_and_went;
  };
  EXPECT_TRUE(ended_after(true));
  bool without_work = true;
  for (int attempt = 0; attempt < kAttempts && without_work; ++attempt) without_work = ended_after(false);
  EXPECT_FALSE(without_work) << "the rest of a pool that was made smaller";
}

TEST(ThreadWatch, threads_that_spin_while_the_clocks_are_read_are_not_taken_for_some_that_are_gone) {
  Helper helper;
  std::vector<std::unique_ptr<Helper>>
      idle;  // as those of other libraries: their clocks are read between its and the process'
  for (int i = 0; i < 300; ++i) idle.push_back(std::make_unique<Helper>());
  ThreadWatch watch;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::atomic<bool> stop = false;
    let_sleep(watch);
    watch.start();
    helper.begin([&] {
      while (!stop) {
      }
    });
    work_for(milliseconds(1));
    EXPECT_FALSE(watch.ran().came_and_went) << attempt;
    stop = true;
    helper.finish();
  }
}

TEST(ThreadWatch, notices_the_end_of_a_thread_that_it_knew) {
  auto helper = std::make_unique<Helper>();
  ThreadWatch watch;
  watch.start();
  const std::vector<int> tid{helper->tid()};
  EXPECT_TRUE(watch.alive(tid));
  helper.reset();
  // a thread that was joined takes some microseconds more to leave
  for (const auto end = Clock::now() + milliseconds(10000); watch.alive(tid) && Clock::now() < end;) {
  }
  EXPECT_FALSE(watch.alive(tid));
}

TEST(ThreadWatch, waits_for_a_thread_that_still_runs) {
  Helper helper;
  ThreadWatch watch;
  watch.start();
  std::atomic<bool> runs = false;
  std::atomic<bool> stop = false;
  helper.begin([&] {
    runs = true;
    while (!stop) {
    }
  });
  while (!runs) {
  }
  EXPECT_FALSE(watch.wait_until_others_sleep(0.01));
  stop = true;
  EXPECT_TRUE(watch.wait_until_others_sleep(10));
  helper.finish();
}

TEST(ThreadWatch, binds_each_thread_to_a_core_of_its_own_and_lets_all_go) {
  if (cpu_info().first_processors.size() < 2) GTEST_SKIP() << "one core";
  const std::set<int> before = processors_of(0);
  Helper helper;
  const std::vector<int> tids{this_thread_id(), helper.tid()};
  {
    ThreadWatch watch;
    watch.start();
    ASSERT_TRUE(watch.bind(tids));
    EXPECT_EQ(processors_of(0), std::set<int>{cpu_info().first_processors[0]});
    EXPECT_EQ(processors_of(helper.tid()), std::set<int>{cpu_info().first_processors[1]});
    work_for(milliseconds(1));
    helper.run([] { work_for(milliseconds(1)); });
    const ThreadsSeen seen = watch.seen(tids);
    EXPECT_TRUE(seen.each_on_its_own);
    EXPECT_EQ(seen.cores.size(), 2U);
    watch.unbind_caller();
    EXPECT_EQ(processors_of(0), before);
    EXPECT_FALSE(watch.seen(tids).each_on_its_own);
  }
  EXPECT_EQ(processors_of(helper.tid()), before);
}

TEST(ThreadWatch, binds_none_where_there_are_more_threads_than_cores) {
  const std::set<int> before = processors_of(0);
  ThreadWatch watch;
  watch.start();
  ASSERT_TRUE(watch.bind({this_thread_id()}));
  std::vector<std::unique_ptr<Helper>> helpers;
  std::vector<int> tids{this_thread_id()};
  for (std::size_t i = 0; i < cpu_info().first_processors.size(); ++i) {
    helpers.push_back(std::make_unique<Helper>());
    tids.push_back(helpers.back()->tid());
  }
  watch.start();
  EXPECT_FALSE(watch.bind(tids));
  for (const int tid : tids) EXPECT_EQ(processors_of(tid), before);
  EXPECT_FALSE(watch.seen(tids).each_on_its_own);
}

TEST(ThreadWatch, frees_a_thread_that_inherited_the_callers_core) {
  const std::set<int> before = processors_of(0);
  ThreadWatch watch;
  watch.start();
  ASSERT_TRUE(watch.bind({this_thread_id()}));
  Helper helper;
  ASSERT_EQ(processors_of(helper.tid()).size(), 1U);
  watch.unbind_caller();
  watch.ran();  // looks for new threads
  EXPECT_EQ(processors_of(helper.tid()), before);
}

TEST(ThreadWatch, sees_the_wait_for_a_core_that_another_thread_keeps_busy) {
  Helper rival;
  ThreadWatch watch;
  watch.start();
  const int core = cpu_info().first_processors.front();
  std::atomic<bool> runs = false;
  std::atomic<bool> stop = false;
  rival.begin([&] {
    bind_thread(this_thread_id(), core);
    runs = true;
    while (!stop) {
    }
  });
  while (!runs) {
  }
  const std::vector<int> tids{this_thread_id()};
  ASSERT_TRUE(watch.bind(tids));
  watch.start(tids);
  work_for(milliseconds(100));
  const ThreadsSeen seen = watch.seen(tids);
  stop = true;
  watch.unbind_caller();
  rival.finish();
  EXPECT_GT(seen.run_queue_delay_s.value_or(0), 0.0);
  EXPECT_EQ(seen.cores, std::vector<int>{core});
}

}  // namespace
}  // namespace gemmlab
