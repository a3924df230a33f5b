#include "submissions/judge/timing/load.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>

namespace gemmlab::submissions {
namespace {

TEST(LoadTest, idle_time_and_waiting_are_no_work_but_what_another_machine_takes_is) {
  EXPECT_EQ(worked_s("cpu  100 20 30 4000 500 6 7 37 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n", 100), 2.0);
  EXPECT_EQ(worked_s("", 100), 0);
  EXPECT_EQ(worked_s("nothing of the kind", 100), 0);
}

TEST(LoadTest, a_process_may_be_called_anything) {
  EXPECT_EQ(taken_s("42 (a) b 9 9 (c) R 1 2 3 4 5 6 7 8 9 10 150 50 7 7\n", 100), 2.0);
  EXPECT_EQ(taken_s("", 100), 0);
  EXPECT_EQ(taken_s("42 (a) R 1 2", 100), 0);
}

void work(double seconds) {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < seconds) {
  }
}

/// A process beside this one that works without pause.
class Busy {
 public:
  Busy() : pid_(fork()) {
    while (pid_ == 0) work(1);
  }
  ~Busy() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  int pid() const { return pid_; }
  double taken() const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/stat");
    return taken_s({std::istreambuf_iterator<char>(file), {}}, static_cast<double>(sysconf(_SC_CLK_TCK)));
  }

 private:
  int pid_;
};

/// Whatever else runs on this machine is in both.
TEST(LoadTest, work_of_others_is_counted_and_our_own_is_not) {
  constexpr double kWall_s = 2;
  const Busy busy;
  OthersLoad knows, does_not;
  const double before_s = busy.taken();
  knows.begin({busy.pid()});
  does_not.begin({});
  work(kWall_s);
  does_not.end({});
  knows.end({busy.pid()});
  const double its_share = (busy.taken() - before_s) / kWall_s;  // little where many others run
  EXPECT_NEAR(does_not.processors() - knows.processors(), its_share, 0.05);
}

}  // namespace
}  // namespace gemmlab::submissions
