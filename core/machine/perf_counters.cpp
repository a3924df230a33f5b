#include "core/machine/perf_counters.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/machine/cgroup.h"

namespace gemmlab {
namespace {

constexpr std::uint64_t load_misses(std::uint64_t cache) {
  return cache | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16;
}

class LinuxPerf : public PerfKernel {
 public:
  std::vector<int> threads() override {
    std::vector<int> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
      found.push_back(std::stoi(entry.path().filename().string()));
    }
    return found;
  }
  int open(const PerfEvent& event, int thread) override {
    perf_event_attr asked{};
    asked.size = sizeof asked;
    asked.type = event.type;
    asked.config = event.config;
    asked.disabled = 1;
    asked.exclude_kernel = 1;  // which an ordinary user may not count
    asked.exclude_hv = 1;
    asked.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    const long counter = syscall(SYS_perf_event_open, &asked, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return counter < 0 ? -errno : static_cast<int>(counter);
  }
  void start(int counter) override { ioctl(counter, PERF_EVENT_IOC_ENABLE, 0); }
  void stop(int counter) override { ioctl(counter, PERF_EVENT_IOC_DISABLE, 0); }
  std::optional<Reading> read(int counter) override {
    std::uint64_t words[3];
    if (::read(counter, words, sizeof words) != sizeof words) return {};
    return Reading{words[0], words[1], words[2]};
  }
  void close(int counter) override { ::close(counter); }
};

std::string why_not(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return "not permitted: kernel.perf_event_paranoid is " +
             first_line("/proc/sys/kernel/perf_event_paranoid") +
             " (2 or less is needed), or the container forbids perf_event_open";
    case ENOSYS:
      return "this kernel has no perf_event_open, or the container forbids it";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return "the kernel knows no such counter here: the processor has none, or a virtual machine does not "
             "show it";
    default:
      return std::string("perf_event_open: ") + std::strerror(error);
  }
}

}  // namespace

const std::vector<PerfEvent>& perf_events() {
  static const std::vector<PerfEvent> events = {
      {"cpu_cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
      {"cpu_instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
      {"l1d_load_misses", PERF_TYPE_HW_CACHE, load_misses(PERF_COUNT_HW_CACHE_L1D)},
      {"dtlb_load_misses", PERF_TYPE_HW_CACHE, load_misses(PERF_COUNT_HW_CACHE_DTLB)},
      {"llc_load_misses", PERF_TYPE_HW_CACHE, load_misses(PERF_COUNT_HW_CACHE_LL)}};
  return events;
}

std::unique_ptr<PerfKernel> make_perf_kernel() {
  return std::make_unique<LinuxPerf>();
}

PerfCounters::PerfCounters(PerfKernel& kernel) : kernel_(kernel) {
  const std::vector<int> threads = kernel.threads();
  for (const PerfEvent& event : perf_events()) {
    Event& made = events_[event.name];
    for (const int thread : threads) {
      const int counter = kernel.open(event, thread);
      if (counter == -ESRCH) continue;  // the thread has ended since
      if (counter >= 0) {
        made.counters.push_back(counter);
      } else {
        made.reason = why_not(-counter);
        break;
      }
    }
  }
}

PerfCounters::~PerfCounters() {
  for (const auto& [name, event] : events_) {
    for (const int counter : event.counters) kernel_.close(counter);
  }
}

void PerfCounters::start() {
  for (const auto& [name, event] : events_) {
    for (const int counter : event.counters) kernel_.start(counter);
  }
}

void PerfCounters::stop() {
  for (const auto& [name, event] : events_) {
    for (const int counter : event.counters) kernel_.stop(counter);
  }
}

std::map<std::string, PerfCount> PerfCounters::counts() const {
  std::map<std::string, PerfCount> counts;
  for (const auto& [name, event] : events_) {
    PerfCount& count = counts[name];
    count.reason = event.reason;
    double sum = 0;
    for (const int counter : event.counters) {
      const auto reading = kernel_.read(counter);
      if (!reading) {
        count.reason = "the counter could not be read";
      } else if (reading->enabled_ns > 0 && reading->running_ns == 0) {
        count.reason = "the processor had no counter free for it";
      } else if (reading->running_ns > 0) {
        sum += static_cast<double>(reading->count) * static_cast<double>(reading->enabled_ns) /
               static_cast<double>(reading->running_ns);
      }
    }
    if (count.reason.empty()) count.value = sum;
  }
  return counts;
}

}  // namespace gemmlab
