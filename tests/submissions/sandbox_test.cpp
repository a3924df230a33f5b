// The outer part: what holds a process from its first instruction on.

#include "submissions/sandbox/sandbox.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/submissions/sandbox_support.h"

namespace gemmlab::submissions::probed {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Sandbox : public SandboxTest {};
INSTANTIATE_TEST_SUITE_P(, Sandbox, ::testing::Bool(),
                         [](const auto& with) { return with.param ? "bubblewrap" : "without"; });

TEST_P(Sandbox, says_whether_bubblewrap_holds) {
  EXPECT_NE(holds("bubblewrap"), lacks("bubblewrap"));
  EXPECT_EQ(holds("bubblewrap"), why_not_isolated().empty());
  if (!GetParam()) {
    EXPECT_TRUE(lacks("--without-isolation"));
  } else if (std::system(("bwrap " + std::string(::geteuid() == 0 ? "--unshare-pid" : "--unshare-all") +
                          " --ro-bind / / --proc /proc --dev /dev true 2>/dev/null")
                             .c_str()) == 0) {
    EXPECT_TRUE(holds("bubblewrap")) << "it works, and we do not use it";
  }
  EXPECT_TRUE(holds("64 MiB of memory"));
  EXPECT_TRUE(holds("files of 1 MiB"));
}

TEST_P(Sandbox, what_the_kernel_has_is_used) {
  const std::uint32_t trap = SECCOMP_RET_TRAP;
  if (::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &trap) == 0) {
    EXPECT_TRUE(holds("seccomp"));
  }
  if (::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1) > 0) {
    EXPECT_TRUE(holds("Landlock"));
  }
  EXPECT_NE(holds("seccomp"), lacks("seccomp"));
  EXPECT_NE(holds("Landlock"), lacks("Landlock"));
}

TEST_P(Sandbox, root_is_left_behind) {
  const std::string out = run("outer", {"identity"});
  EXPECT_THAT(out, HasSubstr("in " + confinement_.scratch + "\n"));
  if (::geteuid() != 0) {
    EXPECT_TRUE(lacks("only root can make one up"));
    EXPECT_THAT(out, HasSubstr("uid " + std::to_string(::getuid()) + " "));
    return;
  }
  GEMMLAB_NEEDS("an unprivileged user of its own", "an unprivileged user");
  EXPECT_THAT(out, Not(HasSubstr("uid 0 ")));
  EXPECT_THAT(out, Not(HasSubstr("gid 0 ")));
  EXPECT_THAT(out, HasSubstr("groups 0"));
}

TEST_P(Sandbox, scratch_and_what_is_in_it_may_be_written) {
  std::filesystem::create_directory(confinement_.scratch + "/sub");
  EXPECT_THAT(run("outer", {"write", confinement_.scratch + "/sub/file"}), HasSubstr("write: ok"));
  EXPECT_TRUE(std::filesystem::exists(confinement_.scratch + "/sub/file"));
}

TEST_P(Sandbox, a_link_in_scratch_hands_nothing_over) {
  const std::string outside = new_folder("/tmp") + "/file";
  std::ofstream(outside) << "x";
  std::filesystem::permissions(outside, std::filesystem::perms::owner_read);
  std::filesystem::create_symlink(outside, confinement_.scratch + "/link");
  std::filesystem::create_hard_link(outside, confinement_.scratch + "/second");
  run("outer", {"identity"});
  struct stat facts {};
  ASSERT_EQ(::stat(outside.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, ::geteuid());
}

TEST_P(Sandbox, exactly_the_given_environment_is_seen) {
  for (const std::map<std::string, std::string>& given :
       {std::map<std::string, std::string>{{"ALPHA", "one two"}, {"LANG", "C"}}, {{"PWD", "/elsewhere"}}}) {
    (void)!::ftruncate(output_, 0);
    ::lseek(output_, 0, SEEK_SET);
    Confined process = start("outer", {"environment"}, {}, given);
    wait(process);
    std::string wanted;
    for (const auto& [name, value] : given) wanted += name + "=" + value + "\n";
    EXPECT_EQ(printed(), wanted);
  }
}

TEST_P(Sandbox, handed_on_descriptors_arrive_and_no_others) {
  int five[2], four[2];
  ASSERT_EQ(::pipe2(five, O_CLOEXEC) | ::pipe2(four, O_CLOEXEC), 0);
  const int stray = ::open("/dev/null", O_RDONLY);  // not closed on exec
  // the wanted numbers are very likely taken here by something else
  Confined writer = start("inner", {"fd", "5", "4"}, {{5, five[1]}, {4, four[1]}});
  EXPECT_EQ(wait(writer), 0);
  ::close(five[1]);
  ::close(four[1]);
  char byte = 0;
  EXPECT_TRUE(::read(five[0], &byte, 1) == 1 && byte == '5') << printed();
  EXPECT_TRUE(::read(four[0], &byte, 1) == 1 && byte == '4') << printed();
  for (const bool processes : {false, true}) {
    confinement_.processes = processes;
    (void)!::ftruncate(output_, 0);
    ::lseek(output_, 0, SEEK_SET);
    Confined lister = start("outer", {"fds"}, {{7, stray}});
    wait(lister);
    EXPECT_EQ(printed(), "fd 0\nfd 1\nfd 2\nfd 7\nstdin: 0\n");
  }
  for (const int fd : {five[0], four[0], stray}) ::close(fd);
}

TEST_P(Sandbox, our_loopback_is_out_of_reach) {
  const int listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listening, reinterpret_cast<sockaddr*>(&address), size) | ::listen(listening, 1), 0);
  ASSERT_EQ(::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string out = run("outer", {"reach", std::to_string(::ntohs(address.sin_port))});
  ::close(listening);
  GEMMLAB_NEEDS("bubblewrap", "a network namespace");
  EXPECT_THAT(out, HasSubstr("reach: E"));
}

TEST_P(Sandbox, a_file_at_home_is_hidden_unless_shown) {
  std::filesystem::path place = std::filesystem::current_path();
  if (::access(place.c_str(), W_OK) != 0) place = std::filesystem::temp_directory_path();
  const std::string home = new_folder(place);
  std::filesystem::permissions(home, std::filesystem::perms::all);
  std::ofstream(home + "/secret") << "x";
  const char* before = std::getenv("HOME");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("HOME", home.c_str(), 1);
  const std::string hidden = run("outer", {"read", home + "/secret"});
  confinement_.readable.push_back(home + "/secret");
  const std::string shown = run("outer", {"read", home + "/secret"});
  const std::string written = run("outer", {"write", home + "/secret"});
  before != nullptr ? ::setenv("HOME", kept.c_str(), 1) : ::unsetenv("HOME");
  EXPECT_THAT(shown, HasSubstr("read: ok"));
  GEMMLAB_NEEDS("bubblewrap", "a file system of its own");
  EXPECT_THAT(hidden, HasSubstr("read: ENOENT"));
  EXPECT_THAT(written, HasSubstr("write: E"));
  EXPECT_THAT(run("outer", {"write", "/tmp/file"}), HasSubstr("write: EROFS"));
  EXPECT_THAT(run("outer", {"write", "/dev/shm/file"}), HasSubstr("write: E"));
}

TEST_P(Sandbox, a_program_closed_off_from_others_runs) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root's child is another user";
  const std::string closed = new_folder("/tmp");
  const std::string program = closed + "/probe";
  std::filesystem::copy_file(GEMMLAB_PROBE, program);
  ASSERT_EQ(::chmod(closed.c_str(), 0700), 0);
  Confined process({program, "outer", confinement_.scratch, "0", "0", "0", "0", "identity"}, {}, {}, output_,
                   confinement_);
  EXPECT_EQ(wait(process), 0);
  EXPECT_THAT(printed(), HasSubstr("uid "));
}

TEST_P(Sandbox, exit_code_and_signal_come_through) {
  run("outer", {"end", "3"});
  EXPECT_TRUE(WIFEXITED(status_) && WEXITSTATUS(status_) == 3) << status_;
  run("outer", {"end", "segv"});
  EXPECT_TRUE(WIFSIGNALED(status_) && WTERMSIG(status_) == SIGSEGV) << status_;
}

TEST_P(Sandbox, a_program_that_is_not_there_is_named) {
  try {
    Confined process({"/nowhere/program"}, {}, {}, output_, confinement_);
    FAIL() << "started";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/program"));
    EXPECT_THAT(error.what(), HasSubstr("No such file"));
  }
}

TEST_P(Sandbox, kill_ends_what_ignores_it_and_its_children) {
  confinement_.processes = true;
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  Confined process = start("outer", {"stay", "5"}, {{5, ends[1]}});
  ::close(ends[1]);
  char byte = 0;
  for (int child = 0; child < 3; ++child) ASSERT_EQ(::read(ends[0], &byte, 1), 1) << printed();
  int status = 0;
  EXPECT_FALSE(process.ended(status));
  const pid_t pid = process.pid();
  status = process.kill();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  // every one of them held the other end; the last to go closes it
  pollfd closed{ends[0], POLLIN, 0};
  EXPECT_EQ(::poll(&closed, 1, 0), 1) << "something still runs";
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), -1) << "not reaped";
  EXPECT_EQ(process.kill(), status) << "a second time";
  ::close(ends[0]);
}

TEST_P(Sandbox, the_destructor_ends_it_and_a_move_does_not) {
  confinement_.processes = true;
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  pollfd closed{ends[0], POLLIN, 0};
  {
    Confined kept;
    {
      Confined process = start("outer", {"stay", "5"}, {{5, ends[1]}});
      ::close(ends[1]);
      char byte = 0;
      for (int child = 0; child < 3; ++child) ASSERT_EQ(::read(ends[0], &byte, 1), 1);
      kept = std::move(process);
    }
    int status = 0;
    EXPECT_FALSE(kept.ended(status));
    EXPECT_EQ(::poll(&closed, 1, 0), 0);
  }
  EXPECT_EQ(::poll(&closed, 1, 0), 1);
  ::close(ends[0]);
}

TEST_P(Sandbox, it_ends_with_the_one_who_started_it) {
  // without bubblewrap only the process itself does; it has children only while a compiler runs
  const bool with_children = holds("bubblewrap");
  confinement_.processes = with_children;
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const pid_t judge = ::fork();
  if (judge == 0) {
    Confined process = start("outer", {with_children ? "stay" : "stay alone", "5"}, {{5, ends[1]}});
    for (;;) ::pause();
  }
  ::close(ends[1]);
  char byte = 0;
  for (int child = 0; child < (with_children ? 3 : 1); ++child) ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  ::kill(judge, SIGKILL);
  ::waitpid(judge, nullptr, 0);
  pollfd closed{ends[0], POLLIN, 0};
  EXPECT_EQ(::poll(&closed, 1, 60000), 1) << "something still runs";
  ::close(ends[0]);
}

}  // namespace
}  // namespace gemmlab::submissions::probed
