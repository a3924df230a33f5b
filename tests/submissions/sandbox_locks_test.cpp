// The inner part: what a process lays upon itself.

#include <sys/wait.h>

#include "tests/submissions/sandbox_support.h"

namespace gemmlab::submissions::probed {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SandboxLocks : public SandboxTest {};
INSTANTIATE_TEST_SUITE_P(, SandboxLocks, ::testing::Bool(),
                         [](const auto& with) { return with.param ? "bubblewrap" : "without"; });

TEST_P(SandboxLocks, writing_inside_scratch_works) {
  EXPECT_THAT(run("inner", {"write", confinement_.scratch + "/file"}), HasSubstr("write: ok"));
  EXPECT_TRUE(std::filesystem::exists(confinement_.scratch + "/file"));
  EXPECT_THAT(run("inner", {"write", "/dev/null"}), HasSubstr("write: ok"));
}

TEST_P(SandboxLocks, writing_outside_scratch_fails) {
  const std::string outside = new_folder("/tmp");
  // for everybody, so that nothing but the sandbox stands in the way
  std::filesystem::permissions(outside, std::filesystem::perms::all);
  std::string out;
  out = run("inner", {"write", outside + "/file"});
  if (!holds("bubblewrap") && !holds("Landlock")) {
    EXPECT_TRUE(lacks("Landlock"));
    return;
  }
  EXPECT_THAT(out, Not(HasSubstr("write: ok")));
  EXPECT_THAT(out, HasSubstr("write: E"));
  EXPECT_FALSE(std::filesystem::exists(outside + "/file"));
}

TEST_P(SandboxLocks, sockets_that_lead_out_are_refused) {
  GEMMLAB_NEEDS("seccomp", "seccomp");
  const std::string out = run("inner", {"sockets"});
  EXPECT_THAT(out, HasSubstr("inet: EACCES"));
  EXPECT_THAT(out, HasSubstr("netlink: EACCES"));
  EXPECT_THAT(out, HasSubstr("connect: EACCES"));
  EXPECT_THAT(out, HasSubstr("pair: ok"));
}

TEST_P(SandboxLocks, starting_a_process_raises_sigsys) {
  GEMMLAB_NEEDS("no processes", "seccomp");
  EXPECT_EQ(run("inner", {"fork"}), "");
  EXPECT_TRUE(WIFSIGNALED(status_) && WTERMSIG(status_) == SIGSYS) << status_;
  EXPECT_EQ(run("inner", {"exec"}), "");
  EXPECT_TRUE(WIFSIGNALED(status_) && WTERMSIG(status_) == SIGSYS) << status_;
}

TEST_P(SandboxLocks, more_threads_than_allowed_fail) {
  EXPECT_EQ(run("inner", {"threads", std::to_string(kThreads)}),
            "threads: " + std::to_string(kThreads) + "\n");
  GEMMLAB_NEEDS("threads", "a limit on threads");
  const std::string out = run("inner", {"threads", "500"});
  // other programs of the same user may end meanwhile, which makes room for as many more
  ASSERT_THAT(out, HasSubstr("threads: "));
  EXPECT_LT(std::stoi(out.substr(out.find(' '))), 100);
}

TEST_P(SandboxLocks, memory_over_the_limit_is_refused) {
  std::string out = run("inner", {"memory", std::to_string(kMemoryBytes / 2)});
  EXPECT_THAT(out, HasSubstr("malloc: ok"));
  out = run("inner", {"memory", std::to_string(kMemoryBytes + 1)});
  EXPECT_THAT(out, HasSubstr("malloc: ENOMEM"));
  GEMMLAB_NEEDS("seccomp", "seccomp");
  EXPECT_THAT(out, HasSubstr("shared: ENOMEM"));
}

TEST_P(SandboxLocks, a_larger_file_than_allowed_is_refused) {
  const std::string out =
      run("inner", {"big", confinement_.scratch + "/file", std::to_string(2 * kFileBytes)});
  EXPECT_THAT(out, HasSubstr("big: EFBIG"));
  EXPECT_THAT(out, HasSubstr("written: " + std::to_string(kFileBytes) + "\n"));
}

TEST_P(SandboxLocks, signals_reach_nobody_else) {
  const pid_t bystander = ::fork();  // of the same user, so that nothing but the sandbox stands in the way
  if (bystander == 0) {
    for (;;) ::pause();
  }
  const std::string out = run("inner", {"signals", std::to_string(bystander)});
  EXPECT_EQ(::waitpid(bystander, nullptr, WNOHANG), 0) << "killed by the probe";
  ::kill(bystander, SIGKILL);
  ::waitpid(bystander, nullptr, 0);
  GEMMLAB_NEEDS("seccomp", "seccomp");
  for (const char* who : {"kill", "parent", "all", "tkill"})
    EXPECT_THAT(out, HasSubstr(std::string(who) + ": EPERM"));
  EXPECT_THAT(out, HasSubstr("self: ok"));
}

TEST_P(SandboxLocks, what_looks_into_others_is_refused) {
  const std::string out = run("inner", {"meddle"});
  EXPECT_THAT(out, HasSubstr("core: none"));
  GEMMLAB_NEEDS("seccomp", "seccomp");
  for (const char* what : {"ptrace", "io_uring", "unshare", "prlimit other"})
    EXPECT_THAT(out, HasSubstr(std::string(what) + ": EPERM"));
  EXPECT_THAT(out, HasSubstr("prlimit self: ok"));
}

TEST_P(SandboxLocks, abort_ends_as_abort) {
  run("inner", {"end", "abort"});
  EXPECT_TRUE(WIFSIGNALED(status_) && WTERMSIG(status_) == SIGABRT) << status_;
  confinement_.processes = true;
  run("outer", {"end", "abort"});
  EXPECT_TRUE(WIFSIGNALED(status_) && WTERMSIG(status_) == SIGABRT) << status_;
}

TEST_P(SandboxLocks, a_compiler_may_start_programs_and_nothing_more) {
  confinement_.processes = true;
  EXPECT_THAT(run("outer", {"fork"}), HasSubstr("fork: ok"));
  EXPECT_EQ(run("outer", {"exec"}), "");
  EXPECT_EQ(status_, 0);
  EXPECT_THAT(run("outer", {"memory", std::to_string(kMemoryBytes + 1)}), HasSubstr("malloc: ENOMEM"));
  EXPECT_THAT(run("outer", {"big", confinement_.scratch + "/file", std::to_string(2 * kFileBytes)}),
              HasSubstr("big: EFBIG"));
  GEMMLAB_NEEDS("seccomp", "seccomp");
  EXPECT_THAT(run("outer", {"sockets"}), HasSubstr("inet: EACCES"));
  EXPECT_THAT(run("outer", {"meddle"}), HasSubstr("ptrace: EPERM"));
}

TEST_P(SandboxLocks, a_gpu_keeps_shared_memory) {
  confinement_.gpu = true;
  EXPECT_THAT(run("inner", {"memory", "4096"}), HasSubstr("shared: ok"));
  const std::string file = "/dev/shm/gemmlab-test-" + std::to_string(::getpid());
  EXPECT_THAT(run("inner", {"write", file}), HasSubstr("write: ok"));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace gemmlab::submissions::probed
