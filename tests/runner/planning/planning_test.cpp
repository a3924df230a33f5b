// Planning takes time in proportion to the points, and an interrupt ends it.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "operations/gemm/implementation.h"
#include "runner/definition/definition.h"
#include "runner/planning/estimate.h"
#include "tests/runner/support.h"

namespace gemmlab::test {
namespace {

/// Processor seconds of the fastest of three: what else runs on the machine counts for little.
double processor_s(const std::function<void()>& work) {
  const auto now_s = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  double least_s = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double start_s = now_s();
    work();
    least_s = std::min(least_s, now_s() - start_s);
  }
  return least_s;
}

/// Times as long for sixteen times the work: 16 where it grows in proportion, more where the larger one
/// leaves a cache, 256 with the square.
double growth(std::size_t size, const std::function<std::function<void()>(std::size_t)>& work_of) {
  return processor_s(work_of(16 * size)) / processor_s(work_of(size));
}
constexpr double kBetweenLinearAndSquare = 64;

class Planning : public Scratch {
 protected:
  std::function<void()> loading(const std::string& definition) const {
    const std::string file = write("x.toml", "title = \"t\"\nquestion = \"q\"\n" + definition);
    return [this, file] { runner::load_definition(file, catalogue_); };
  }
  static std::string group(const std::string& name, const std::string& size, const std::string& run) {
    return "[[group]]\nname = \"" + name + "\"\nsize = " + size + "\n[[group.run]]\n" + run + "\n";
  }
  static std::string up_to(std::size_t most) {
    return "{ from = 1, to = " + std::to_string(most) + ", step = 1 }";
  }
  runner::Catalogue catalogue_;
};

TEST_F(Planning, grows_with_the_number_of_shapes) {
  const auto work = [&](std::size_t size) {
    return loading(group("g", up_to(size), "implementation = \"cpu.ikj\""));
  };
  EXPECT_LT(growth(6000, work), kBetweenLinearAndSquare);
}

TEST_F(Planning, grows_with_the_number_of_labels) {
  const auto work = [&](std::size_t size) {
    return loading(
        group("g", "64", "implementation = \"cpu.blocked\"\nblock = \"all\"\nthreads = " + up_to(size)));
  };
  EXPECT_LT(growth(250, work), kBetweenLinearAndSquare);
}

TEST_F(Planning, grows_with_the_number_of_groups) {
  const auto work = [&](std::size_t size) {
    std::string text;
    const std::string run = "implementation = \"cpu.ikj\"";
    for (std::size_t i = 0; i < size; ++i) text += group("the group " + std::to_string(i), "64", run);
    return loading(text);
  };
  EXPECT_LT(growth(1000, work), kBetweenLinearAndSquare);
}

TEST(Estimating, grows_with_points_and_not_with_what_is_known) {
  Point point;
  point.implementation = "cpu.ikj";
  point.instance = gemm_at({64, 64, 64});
  const auto work = [&](std::size_t size) {
    std::vector<runner::Measured> known;
    for (std::size_t i = 0; i < size; ++i)
      known.push_back({point.implementation, {{"threads", i + 1}}, point.scope, 2e6, 1e-3, 0});
    runner::Estimator estimator;
    estimator.learn(known);
    return [estimator, point, size] {
      for (std::size_t i = 0; i < size; ++i) {
        Point other = point;
        other.parameters = {{"threads", -static_cast<std::int64_t>(i)}};
        EXPECT_GT(estimator.point(other, {}).call_s, 0);
      }
    };
  };
  EXPECT_LT(growth(2000, work), kBetweenLinearAndSquare);
}

/// Starts a dry run of a million points whose output nobody reads, so that it never ends by itself.
class InterruptedPlanning : public Planning {
 protected:
  void SetUp() override {
    Planning::SetUp();
    const std::string side = up_to(100);
    write("many.toml", "title = \"t\"\nquestion = \"q\"\n[[group]]\nname = \"g\"\nm = " + side + "\nn = " +
                           side + "\nk = " + side + "\n[[group.run]]\nimplementation = \"cpu.ikj\"\n");
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    output_ = ends[0];
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setenv("GEMMLAB_ROOT", GEMMLAB_SOURCE_ROOT, 1);
      ::dup2(ends[1], STDOUT_FILENO);
      ::execl(GEMMLAB_FAULTY, "gemmlab", "run", path("many.toml").c_str(), "--dry-run", "--output",
              path("out").c_str(), nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
  }
  void TearDown() override {
    ::close(output_);
    Planning::TearDown();
  }
  bool catches(int signal) const {
    std::istringstream status(read("/proc/" + std::to_string(pid_) + "/status"));
    for (std::string word; status >> word;) {
      unsigned long long caught = 0;
      if (word == "SigCgt:" && status >> std::hex >> caught) return (caught >> (signal - 1) & 1) != 0;
    }
    return false;
  }
  void wait_until_caught(int signal) const {
    for (int tries = 0; tries < 6000 && !catches(signal); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  /// How it has ended; -1 where it had to be killed after 30 s.
  int exit_status() const {
    int status = 0;
    for (int tries = 0; tries < 1200; ++tries) {
      if (::waitpid(pid_, &status, WNOHANG) == pid_) return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, &status, 0);
    return -1;
  }
  pid_t pid_ = -1;
  int output_ = -1;
};

TEST_F(InterruptedPlanning, ends_with_130_while_points_are_made) {
  wait_until_caught(SIGINT);
  ::kill(pid_, SIGINT);
  EXPECT_EQ(exit_status(), 130);
}

TEST_F(InterruptedPlanning, ends_with_143_after_sigterm_while_the_plan_is_printed) {
  char first = 0;
  ASSERT_EQ(::read(output_, &first, 1), 1);
  ::kill(pid_, SIGTERM);
  EXPECT_EQ(exit_status(), 143);
}

}  // namespace
}  // namespace gemmlab::test
