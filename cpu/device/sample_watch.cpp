#include "cpu/device/sample_watch.h"

#include <fcntl.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

#include "core/machine/machine.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace gemmlab::cpu {
namespace {

// A limit, not a pause: threads that never sleep (OMP_WAIT_POLICY=active) must not stop the run. libgomp's
// threads spin for 8 to 15 ms unless GOMP_SPINCOUNT says less.
constexpr double kLongestWait_s = 20e-3;

/// Seconds that the hypervisor has taken from a core of this machine, on average, since it started; in ticks
/// of 10 ms over the number of cores. Costs 7 µs on two cores.
std::optional<double> stolen_s() {
  static const int file = open("/proc/stat", O_RDONLY | O_CLOEXEC);
  char text[256] = {};
  if (file < 0 || pread(file, text, sizeof text - 1, 0) <= 0) return std::nullopt;
  constexpr int kStealField = 8;  // cpu user nice system idle iowait irq softirq steal
  std::istringstream fields(text);
  std::string field;
  for (int i = 0; i < kStealField; ++i) fields >> field;
  double ticks = 0;
  if (!(fields >> ticks)) return std::nullopt;
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK) * sysconf(_SC_NPROCESSORS_ONLN));
}

std::optional<bool> denormals_flushed() {
#if defined(__x86_64__)
  constexpr unsigned kFlushToZero = 1U << 15;
  constexpr unsigned kDenormalsAreZero = 1U << 6;
  return (_mm_getcsr() & (kFlushToZero | kDenormalsAreZero)) != 0;
#elif defined(__aarch64__)
  std::uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return (control >> 24 & 1) != 0;
#else
  return std::nullopt;
#endif
}

std::size_t cores() {
  return cpu_info().first_processors.size();
}

/// Both rising, as what comes back.
std::vector<int> united(const std::vector<int>& one, const std::vector<int>& other) {
  std::vector<int> all;
  std::set_union(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(all));
  return all;
}

/// The threads of the calling thread's OpenMP team of this size, made where it has none: GNU's runtime ends the
/// rest of a team when a smaller one is asked for, and makes them anew in the next call that is larger.
std::vector<int> openmp_team(std::size_t threads) {
  std::vector<int> tids(threads, this_thread_id());
#pragma omp parallel num_threads(static_cast <int>(threads))
  tids[static_cast<std::size_t>(omp_get_thread_num())] = this_thread_id();
  std::sort(tids.begin(), tids.end());
  tids.erase(std::unique(tids.begin(), tids.end()), tids.end());
  return tids;
}

/// Why the threads that ran were not bound; empty where each was.
std::string why_unbound(const ThreadsRan& ran, const ThreadsSeen& seen, bool bound) {
  if (ran.came_and_went) return "those that did the work were gone afterwards";
  if (ran.tids.size() > cores()) return "there were more than there are cores";
  if (seen.each_on_its_own) return {};
  return bound ? "some took part that were not known before" : "they were not known, or the system refused";
}

}  // namespace

SampleWatch::SampleWatch() {
  cpu_info();  // which processors are ours, asked before anything is bound
}

void SampleWatch::settle(const Backend::Call& call) {
  watch_.wait_until_others_sleep(kLongestWait_s);
  expected_.clear();
  to_find_ = !call;
  if (!call) return;
  ThreadsRan ran;
  // Once more where threads worked that are gone: a pool that had another size has now found its own. A library
  // that makes its threads anew each time does so again, and stays unbound.
  for (int attempt = 0; attempt < 2 && (attempt == 0 || ran.came_and_went); ++attempt) {
    watch_.start();
    call();
    ran = watch_.ran();
  }
  if (!ran.came_and_went) expected_ = ran.tids;
}

/// Those of its warm-up or its check at the latest. Where a call is too long to be made once more, they are all that
/// is known; if some are gone by now, the point before had an OpenMP team of another size.
std::vector<int> SampleWatch::threads_of_last_time(std::uint64_t key) {
  const auto last = ran_by_key_.find(key);
  if (last == ran_by_key_.end()) return {};
  std::vector<int>& tids = last->second;
  const std::size_t there_were = tids.size();
  tids.erase(std::remove_if(tids.begin(), tids.end(), [&](int tid) { return !watch_.alive({tid}); }),
             tids.end());
  if (!to_find_ || tids.size() == there_were || there_were > cores()) return tids;
  tids = openmp_team(there_were);
  watch_.wait_until_others_sleep(
      kLongestWait_s);  // it may have been another library's, and these would spin beside it
  return tids;
}

/// Where no thread is known, or all are made anew at each call, nothing is bound: threads that a bound caller makes
/// would all inherit its core. One that had nothing to do in the call that woke the others may have in the next.
void SampleWatch::begin(std::uint64_t key) {
  key_ = key;
  if (to_find_ || !expected_.empty()) {
    const std::vector<int> all = united(expected_, threads_of_last_time(key));
    if (all.size() <= cores()) expected_ = all;
  }
  to_find_ = false;
  if (expected_.empty()) watch_.unbind_all();
  bound_ = !expected_.empty() && watch_.bind(expected_);
  stolen_s_ = stolen_s();
  watch_.start(expected_);
}

void SampleWatch::end(Conditions& conditions) {
  const ThreadsRan ran = watch_.ran();
  const ThreadsSeen seen = watch_.seen(ran.tids);
  watch_.unbind_caller();
  if (const auto stolen = stolen_s(); stolen && stolen_s_) {
    conditions.steal_s = conditions.steal_s.value_or(0) + *stolen - *stolen_s_;
  }
  conditions.cores.insert(conditions.cores.end(), seen.cores.begin(), seen.cores.end());
  std::sort(conditions.cores.begin(), conditions.cores.end());
  conditions.cores.erase(std::unique(conditions.cores.begin(), conditions.cores.end()),
                         conditions.cores.end());
  if (seen.run_queue_delay_s) {
    conditions.run_queue_delay_s = conditions.run_queue_delay_s.value_or(0) + *seen.run_queue_delay_s;
  }
  const std::string why = why_unbound(ran, seen, bound_);
  conditions.pinned = conditions.pinned.value_or(true) && why.empty();
  if (conditions.unbound.empty()) conditions.unbound = why;
  conditions.threads_ran = ran.came_and_went ? 0 : static_cast<int>(ran.tids.size());
  conditions.denormals_flushed = denormals_flushed();
  if (ran.came_and_went) {
    ran_by_key_.erase(key_);
  } else {
    const std::vector<int> all = united(ran.tids, expected_);
    ran_by_key_[key_] = all.size() <= cores() ? all : ran.tids;
  }
}

void SampleWatch::abandon() {
  watch_.unbind_caller();
  expected_.clear();
}

}  // namespace gemmlab::cpu
