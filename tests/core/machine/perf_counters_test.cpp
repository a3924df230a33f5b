#include "core/machine/perf_counters.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cmath>
#include <set>

namespace gemmlab::test {
namespace {

/// Two threads, on which each event counts 100 of so many nanoseconds that it was to run for.
class PlantedKernel : public PerfKernel {
 public:
  std::vector<int> threads() override { return {11, 12}; }
  int open(const PerfEvent& event, int thread) override {
    if (const auto refused = refusals.find(event.name); refused != refusals.end()) return -refused->second;
    if (thread == ended) return -ESRCH;
    open_counters.insert(next);
    names[next] = event.name;
    return next++;
  }
  void start(int counter) override { running.insert(counter); }
  void stop(int counter) override { running.erase(counter); }
  std::optional<Reading> read(int counter) override {
    EXPECT_FALSE(running.count(counter)) << "it still runs while it is read";
    const auto found = readings.find(names.at(counter));
    return found == readings.end() ? std::optional<Reading>({100, 50, 50}) : found->second;
  }
  void close(int counter) override { open_counters.erase(counter); }

  std::map<std::string, int> refusals;
  std::map<std::string, std::optional<Reading>> readings;
  int ended = 0;
  std::set<int> open_counters;
  std::set<int> running;
  std::map<int, std::string> names;
  int next = 0;
};

std::map<std::string, PerfCount> counted(PlantedKernel& kernel) {
  PerfCounters counters(kernel);
  counters.start();
  EXPECT_EQ(kernel.running, kernel.open_counters);
  counters.stop();
  return counters.counts();
}

TEST(PerfCounters, sum_all_threads_and_close_what_they_opened) {
  PlantedKernel kernel;
  const auto counts = counted(kernel);
  ASSERT_EQ(counts.size(), perf_events().size());
  for (const auto& [name, count] : counts) {
    EXPECT_EQ(count.value, 200.0) << name;
    EXPECT_EQ(count.reason, "") << name;
  }
  EXPECT_EQ(kernel.next, 2 * static_cast<int>(perf_events().size()));
  EXPECT_TRUE(kernel.open_counters.empty());
}

TEST(PerfCounters, scale_what_took_turns_and_leave_out_threads_that_slept_or_ended) {
  PlantedKernel kernel;
  kernel.ended = 12;
  kernel.readings["cpu_cycles"] = {100, 60, 20};
  kernel.readings["cpu_instructions"] = {0, 0, 0};
  const auto counts = counted(kernel);
  EXPECT_EQ(counts.at("cpu_cycles").value, 300.0);
  EXPECT_EQ(counts.at("cpu_instructions").value, 0.0);
  EXPECT_EQ(counts.at("dtlb_load_misses").value, 100.0);
}

TEST(PerfCounters, have_no_value_but_a_reason_where_the_kernel_refuses) {
  PlantedKernel kernel;
  kernel.refusals = {{"cpu_cycles", ENOENT}, {"cpu_instructions", EACCES}, {"l1d_load_misses", EINVAL}};
  kernel.readings["dtlb_load_misses"] = PerfKernel::Reading{0, 50, 0};
  kernel.readings["llc_load_misses"] = std::nullopt;
  const auto counts = counted(kernel);
  for (const auto& [name, count] : counts) EXPECT_EQ(count.value, std::nullopt) << name;
  EXPECT_NE(counts.at("cpu_cycles").reason.find("virtual machine"), std::string::npos);
  EXPECT_NE(counts.at("cpu_instructions").reason.find("perf_event_paranoid"), std::string::npos);
  EXPECT_EQ(counts.at("l1d_load_misses").reason, "perf_event_open: Invalid argument");
  EXPECT_EQ(counts.at("dtlb_load_misses").reason, "the processor had no counter free for it");
  EXPECT_EQ(counts.at("llc_load_misses").reason, "the counter could not be read");
  EXPECT_TRUE(kernel.open_counters.empty());
}

TEST(PerfCounters, of_this_machine_count_or_say_why_not) {
  const auto kernel = make_perf_kernel();
  PerfCounters counters(*kernel);
  counters.start();
  double sum = 0;
  for (int i = 1; i < 1000000; ++i) sum += std::sqrt(static_cast<double>(i));
  counters.stop();
  EXPECT_GT(sum, 0);
  for (const auto& [name, count] : counters.counts()) {
    EXPECT_NE(count.value.has_value(), !count.reason.empty()) << name;
    if (name == "cpu_instructions" && count.value) {
      EXPECT_GT(*count.value, 1e6);
    }
  }
}

}  // namespace
}  // namespace gemmlab::test
