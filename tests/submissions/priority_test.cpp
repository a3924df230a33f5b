// Who is raised over other programs while calls are timed, and who is not.

#include "submissions/judge/processes/priority.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace gemmlab::submissions {
namespace {

/// A child that waits, and ends with its parent's interest.
class Child {
 public:
  Child() : pid_(fork()) {
    if (pid_ < 0) throw std::runtime_error("no child");
    if (pid_ > 0) return;
    alarm(10);
    for (;;) pause();
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

TEST(Priority, a_process_is_raised_where_the_user_may_and_left_alone_elsewhere) {
  const Child child;
  const bool raised = raise_priority_of(child.pid());
  EXPECT_EQ(sched_getscheduler(child.pid()), raised ? SCHED_RR : SCHED_OTHER);
  if (geteuid() != 0) return;
  const Child other;
  sched_param least{1};
  const bool may = sched_setscheduler(other.pid(), SCHED_RR, &least) == 0;  // not in every container
  EXPECT_EQ(raised, may);
}

TEST(Priority, what_a_raised_judge_starts_is_not_raised_by_that) {
  const pid_t judge = fork();
  if (judge == 0) {
    const bool raised = raise_own_priority();
    const int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
    int others = 0;
    {
      const Child started;
      others = sched_getscheduler(started.pid());
    }
    _exit(policy == (raised ? SCHED_RR : SCHED_OTHER) && others == SCHED_OTHER ? 0 : 1);
  }
  int status = 0;
  waitpid(judge, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Priority, nobody_is_raised_on_a_single_processor) {
  const pid_t judge = fork();
  if (judge == 0) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) _exit(2);
    _exit(raise_own_priority() ? 1 : 0);
  }
  int status = 0;
  waitpid(judge, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(Priority, a_process_that_is_gone_is_not_raised) {
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  EXPECT_FALSE(raise_priority_of(gone));
}

}  // namespace
}  // namespace gemmlab::submissions
