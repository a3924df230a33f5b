#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "tests/runner/support.h"

namespace gemmlab::test {
namespace {

constexpr const char* kSweep = R"(
title = "sweep"
question = "does it come through?"
[settings]
min_time_s = 0.1
precision = 0.5
[[group]]
name = "g"
size = [8, 9, 10]
[[group.run]]
implementation = "cpu.fault"
kind = ["right", "slow"]
)";
constexpr std::size_t kPoints = 6;

class Kill : public Scratch {
 protected:
  void SetUp() override {
    Scratch::SetUp();
    write("sweep.toml", kSweep);
    command_ = run_of("sweep");
    results_ = path("out/sweep.jsonl");
  }

  /// Starts the run in the background; returns the parent's process id.
  pid_t start() {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::setenv("GEMMLAB_ROOT", GEMMLAB_SOURCE_ROOT, 1);
      if (::freopen(path("log").c_str(), "w", stdout) == nullptr) ::_exit(126);
      ::execl(GEMMLAB_FAULTY, "gemmlab", "run", path("sweep.toml").c_str(), "--no-report", "--output",
              path("out").c_str(), nullptr);
      ::_exit(127);
    }
    return pid;
  }
  bool wait_for_cases(std::size_t count) const {
    for (int tries = 0; tries < 6000; ++tries) {
      if (std::filesystem::exists(results_) && cases(results_).size() >= count) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    return false;
  }
  static pid_t child_of(pid_t parent) {
    const std::string file =
        "/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children";
    std::istringstream children(read(file));
    pid_t child = -1;
    children >> child;
    return child;
  }
  /// Has it not ended yet? One that nobody has waited for (the init process of some containers never does) is
  /// still listed, as a zombie.
  static bool alive(pid_t pid) {
    const std::string stat = read("/proc/" + std::to_string(pid) + "/stat");
    const std::size_t name_end = stat.rfind(')');
    return name_end != std::string::npos && stat.find_first_of("ZX", name_end) != name_end + 2;
  }
  /// All points with status ok, each exactly once.
  void expect_whole() const {
    std::multiset<std::string> ids;
    for (const Json& record : cases(results_)) {
      EXPECT_EQ(record.at("status"), "ok") << record.dump();
      ids.insert(record.at("case_id").get<std::string>());
    }
    EXPECT_EQ(ids.size(), kPoints);
    EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), kPoints) << "a point was recorded twice";
  }

  std::string command_;
  std::string results_;
};

TEST_F(Kill, a_killed_worker_is_replaced_and_no_point_is_lost_or_doubled) {
  const pid_t parent = start();
  ASSERT_TRUE(wait_for_cases(2));
  const pid_t worker = child_of(parent);
  ASSERT_GT(worker, 0);
  ::kill(worker, SIGKILL);
  int status = 0;
  ::waitpid(parent, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << read(path("log"));
  expect_whole();
}

/// Kills the worker that measures the ceilings, and after it as many of its successors as make up `kills`.
class KillCeilings : public Kill {
 protected:
  /// The `run` record of a run that came to its end in spite of it.
  Json run_after(int kills) {
    const pid_t parent = start();
    pid_t killed = -1;
    for (int tries = 0; kills > 0 && tries < 6000; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (read(path("log")).find("Measuring the machine's ceilings") == std::string::npos) continue;
      const pid_t worker = child_of(parent);
      if (worker <= 0 || worker == killed) continue;
      ::kill(worker, SIGKILL);
      killed = worker;
      --kills;
    }
    int status = 0;
    ::waitpid(parent, &status, 0);
    EXPECT_EQ(kills, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << read(path("log"));
    expect_whole();
    const std::vector<Json> runs = of_kind("run", results_);
    return runs.size() == 1 ? runs.front() : Json();
  }
};

TEST_F(KillCeilings, a_worker_killed_over_the_ceilings_is_replaced_once) {
  const Json run = run_after(1);
  EXPECT_FALSE(run.at("ceilings").empty());
  EXPECT_EQ(run.at("ceilings_missing"), "");
}

TEST_F(KillCeilings, killed_again_it_costs_the_ceilings_and_no_point) {
  const Json run = run_after(2);
  EXPECT_TRUE(run.at("ceilings").empty());
  EXPECT_NE(run.at("ceilings_missing"), "");
  EXPECT_THAT(read(path("log")), ::testing::HasSubstr("this run measured no ceilings"));
  for (const Json& record : cases(results_)) EXPECT_TRUE(record.at("of_ceiling").is_null());
}

TEST_F(Kill, a_killed_run_goes_on_where_it_stopped) {
  const pid_t parent = start();
  ASSERT_TRUE(wait_for_cases(3));
  const pid_t worker = child_of(parent);
  ::kill(parent, SIGKILL);
  int status = 0;
  ::waitpid(parent, &status, 0);
  ASSERT_GT(worker, 0);
  const std::size_t before = cases(results_).size();
  ASSERT_LT(before, kPoints);
  for (int tries = 0; tries < 2400 && alive(worker); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
  EXPECT_FALSE(alive(worker)) << "the worker must die with its parent";
  const Finished again = faulty(command_);
  EXPECT_EQ(again.exit_status, 0) << again.output;
  EXPECT_THAT(again.output,
              ::testing::HasSubstr(std::to_string(before) + " of 6 points are recorded already"));
  expect_whole();
}

TEST_F(Kill, a_line_torn_by_the_kill_spoils_only_itself) {
  ASSERT_EQ(faulty(command_).exit_status, 0);
  std::string text = read(results_);
  const std::string last_point = cases(results_).back().dump();
  text.resize(text.find(last_point) + last_point.size() - 40);  // torn, and what came after it is gone
  std::ofstream(results_) << text;
  const Finished again = faulty(command_);
  EXPECT_THAT(again.output, ::testing::HasSubstr("5 of 6 points are recorded already"));
  EXPECT_THAT(again.output, ::testing::HasSubstr("passed over 1 line that cannot be read"));
  expect_whole();
}

TEST_F(Kill, a_kill_leaves_no_point_without_its_twin) {
  write("sweep.toml", R"(
title = "pair"
question = "is it measured again as a pair?"
[settings]
min_time_s = 0.3
precision = 0.5
[[group]]
name = "g"
size = 8
[[group.run]]
implementation = "cpu.fault"
kind = "slow-first"  # which is done long before its twin
)");
  const pid_t parent = start();
  ASSERT_TRUE(wait_for_cases(1));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_EQ(faulty(command_).exit_status, 0);
  const std::vector<Json> points = cases(results_);
  ASSERT_EQ(points.size(), 1u);
  const std::vector<Json> all = of_kind("case", results_);
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Json& record) {
    return record.at("twin_of") == points[0].at("case_id") && record.at("run_id") == points[0].at("run_id");
  }));
}

TEST_F(Kill, an_interrupt_keeps_everything_and_exits_with_128_and_its_signal) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    std::filesystem::remove(results_);
    const pid_t parent = start();
    ASSERT_TRUE(wait_for_cases(2));
    ::kill(parent, signal);
    int status = 0;
    ::waitpid(parent, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 128 + signal) << status;
    EXPECT_GE(cases(results_).size(), 2u);
    EXPECT_EQ(faulty(command_).exit_status, 0);
    expect_whole();
  }
}

TEST_F(Kill, a_second_run_measures_nothing_and_fresh_measures_all_again) {
  ASSERT_EQ(faulty(command_).exit_status, 0);
  const std::string before = read(results_);
  EXPECT_EQ(faulty(command_).exit_status, 0);
  EXPECT_EQ(read(results_), before);
  EXPECT_EQ(faulty(command_ + " --fresh").exit_status, 0);
  EXPECT_EQ(cases(results_).size(), 2 * kPoints);
  EXPECT_EQ(read(results_).substr(0, before.size()), before) << "older records stay";
}

TEST_F(Kill, two_runs_cannot_write_one_file) {
  const pid_t parent = start();
  ASSERT_TRUE(wait_for_cases(1));
  ::kill(parent, SIGSTOP);  // it must not end before the second has come to look
  const Finished second = faulty(command_);
  EXPECT_EQ(second.exit_status, 2);
  EXPECT_THAT(second.output, ::testing::HasSubstr("another run is writing"));
  ::kill(parent, SIGINT);
  ::kill(parent, SIGCONT);
  ::waitpid(parent, nullptr, 0);
}

}  // namespace
}  // namespace gemmlab::test
