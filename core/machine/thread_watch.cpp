#include "core/machine/thread_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/machine/machine.h"

namespace gemmlab {
namespace {

constexpr const char* kTasks = "/proc/self/task";
constexpr auto kNap = std::chrono::microseconds(50);  // takes 130: the timer's slack comes on top
// Of CPU time that no living thread accounts for: what the clocks of many threads may differ by, and what is
// too little to have been work.
constexpr std::int64_t kClockSkew_ns = 20000;
constexpr double kClockSkewShare = 0.02;
// Threads that a driver or a library keeps for itself wake now and then, for microseconds; one that takes
// part, even if only to wait for the others at a barrier, runs for much of the call.
constexpr double kTakesPart = 0.02;  ///< of the CPU time of the busiest thread

std::int64_t nanoseconds(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return -1;
  return std::int64_t{1000000000} * time.tv_sec + time.tv_nsec;
}

/// CPU time of a thread, -1 where it is gone. To the nanosecond also while it runs, where schedstat lags by
/// up to a tick. The clock's number is the kernel's encoding of a thread id (man 2 clock_getres);
/// pthread_getcpuclockid needs a pthread_t, which nobody has of a library's threads.
std::int64_t ran_ns(int tid) {
  constexpr clockid_t kThisThreadsCpuTime = 6;
  return nanoseconds(static_cast<clockid_t>(~static_cast<unsigned>(tid) << 3 | kThisThreadsCpuTime));
}

/// The text of a small file of /proc/self/task/TID that stays open; empty once the thread is gone.
std::string text_of(int& file, int tid, const char* name) {
  if (file < 0) {
    file = open((std::string(kTasks) + "/" + std::to_string(tid) + "/" + name).c_str(), O_RDONLY | O_CLOEXEC);
  }
  char text[1024];
  const ssize_t length = file < 0 ? -1 : pread(file, text, sizeof text, 0);
  return length <= 0 ? std::string() : std::string(text, static_cast<std::size_t>(length));
}

/// Time that it was ready but did not run; -1 where the kernel does not tell.
std::int64_t delay_ns(int& file, int tid) {
  std::int64_t ran = 0;
  std::int64_t delay = 0;
  return std::istringstream(text_of(file, tid, "schedstat")) >> ran >> delay ? delay : -1;
}

struct Stat {
  bool runs = false;   ///< or is ready to
  int processor = -1;  ///< that it was last on
};

/// Fields 3 and 39 of /proc/self/task/TID/stat, counted from behind the name, which may hold anything.
Stat stat_of(int& file, int tid) {
  constexpr int kFieldsBetween = 35;
  const std::string text = text_of(file, tid, "stat");
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(text.substr(name_end + 1));
  Stat stat;
  std::string field;
  fields >> field;
  stat.runs = field == "R";
  for (int i = 0; i < kFieldsBetween; ++i) fields >> field;
  fields >> stat.processor;
  return stat;
}

void close_file(int file) {
  if (file >= 0) close(file);
}

}  // namespace

int this_thread_id() {
  return gettid();
}

ThreadWatch::~ThreadWatch() {
  unbind_all();
  while (!threads_.empty()) forget(threads_.begin());
}

ThreadWatch::Threads::iterator ThreadWatch::forget(Threads::iterator thread) {
  close_file(thread->second.schedstat_file);
  close_file(thread->second.stat_file);
  return threads_.erase(thread);
}

/// Brings threads_ up to date; the folder is read only where its number of entries or a thread's end tells of
/// a change.
void ThreadWatch::look_for_threads() {
  bool changed = false;
  for (auto thread = threads_.begin(); thread != threads_.end();) {
    const std::int64_t now = ran_ns(thread->first);
    const bool same = now >= thread->second.ran_ns;  // less: gone, and a new one has its number
    changed = changed || !same;
    thread = same ? std::next(thread) : forget(thread);
  }
  struct stat folder {};
  const bool counted = stat(kTasks, &folder) == 0;
  if (!changed && counted && folder.st_nlink == threads_.size() + 2) return;
  DIR* entries = opendir(kTasks);
  if (entries == nullptr) return;
  while (const dirent* entry = readdir(entries)) {
    const int tid = std::atoi(entry->d_name);  // 0 for "." and ".."
    if (tid <= 0 || threads_.count(tid) != 0) continue;
    threads_.emplace(tid, Thread{});
    // it may have inherited what the caller was bound to
    if (caller_was_bound_) bind_thread(tid, std::nullopt);
  }
  closedir(entries);
  caller_was_bound_ = threads_[this_thread_id()].bound_to >= 0;
}

bool ThreadWatch::wait_until_others_sleep(double longest_s) {
  look_for_threads();
  const int caller = this_thread_id();
  std::vector<int> suspects;
  for (const auto& [tid, thread] : threads_) {
    if (tid != caller && ran_ns(tid) > thread.ran_ns) suspects.push_back(tid);
  }
  const auto start = std::chrono::steady_clock::now();
  while (true) {
    suspects.erase(std::remove_if(suspects.begin(), suspects.end(),
                                  [&](int tid) { return !stat_of(threads_[tid].stat_file, tid).runs; }),
                   suspects.end());
    if (suspects.empty()) return true;
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
    if (!(waited.count() < longest_s)) return false;
    std::this_thread::sleep_for(kNap);
  }
}

void ThreadWatch::start(const std::vector<int>& delayed) {
  look_for_threads();
  for (auto& [tid, thread] : threads_) thread.delay_ns = -1;
  for (const int tid : delayed) {
    const auto thread = threads_.find(tid);
    if (thread != threads_.end()) thread->second.delay_ns = delay_ns(thread->second.schedstat_file, tid);
  }
  for (auto& [tid, thread] : threads_) thread.ran_ns = std::max<std::int64_t>(0, ran_ns(tid));
  process_ran_ns_ = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);  // last, as ran() reads it first
}

/// The clock of the process is read after those of the threads at the start, and before them at the end: what a
/// thread that spins runs meanwhile counts for the living, and the time of those that are gone is no more than
/// it was, however long the reading takes. A thread that ended without working, as the rest of a pool that
/// another call made smaller, leaves none. Looking for threads brings their share of the process' clock up to date.
ThreadsRan ThreadWatch::ran() {
  look_for_threads();
  const std::int64_t all_ns = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - process_ran_ns_;
  const int caller = this_thread_id();
  ThreadsRan ran;
  std::int64_t accounted_ns = 0;
  std::int64_t busiest_ns = 0;
  std::vector<std::pair<int, std::int64_t>> more;
  for (const auto& [tid, thread] : threads_) {
    const std::int64_t more_ns = std::max<std::int64_t>(0, ran_ns(tid) - thread.ran_ns);
    more.emplace_back(tid, more_ns);
    accounted_ns += more_ns;
    busiest_ns = std::max(busiest_ns, more_ns);
  }
  for (const auto& [tid, more_ns] : more) {
    const bool took_part = static_cast<double>(more_ns) > kTakesPart * static_cast<double>(busiest_ns);
    if (took_part || tid == caller) ran.tids.push_back(tid);
  }
  const auto skew_ns =
      std::max(static_cast<double>(kClockSkew_ns), kClockSkewShare * static_cast<double>(all_ns));
  ran.came_and_went = static_cast<double>(all_ns - accounted_ns) > skew_ns;
  return ran;
}

ThreadsSeen ThreadWatch::seen(const std::vector<int>& tids) {
  ThreadsSeen seen;
  std::set<int> cores;
  bool bound = true;
  for (const int tid : tids) {
    const auto found = threads_.find(tid);
    if (found == threads_.end()) {
      bound = false;
      continue;
    }
    Thread& thread = found->second;
    const std::int64_t delay = thread.delay_ns < 0 ? -1 : delay_ns(thread.schedstat_file, tid);
    if (delay >= 0) {
      seen.run_queue_delay_s =
          seen.run_queue_delay_s.value_or(0) + 1e-9 * static_cast<double>(delay - thread.delay_ns);
    }
    const int processor = stat_of(thread.stat_file, tid).processor;
    if (processor >= 0) cores.insert(processor);
    bound = bound && processor >= 0 && thread.bound_to == processor;
  }
  seen.cores.assign(cores.begin(), cores.end());
  seen.each_on_its_own = bound && !tids.empty() && cores.size() == tids.size();
  return seen;
}

bool ThreadWatch::bind(const std::vector<int>& tids) {
  const std::vector<int>& processors = cpu_info().first_processors;
  const int caller = this_thread_id();
  std::vector<int> order = tids;
  std::stable_partition(order.begin(), order.end(), [&](int tid) { return tid == caller; });
  bool possible = order.size() <= processors.size();
  for (std::size_t i = 0; possible && i < order.size(); ++i) {
    Thread& thread = threads_[order[i]];
    if (thread.bound_to == processors[i]) continue;
    possible = bind_thread(order[i], processors[i]);
    thread.bound_to = possible ? processors[i] : thread.bound_to;
    caller_was_bound_ = caller_was_bound_ || order[i] == caller;
  }
  if (!possible) unbind_all();
  return possible;
}

void ThreadWatch::unbind(Threads::value_type& thread) {
  if (thread.second.bound_to < 0) return;
  bind_thread(thread.first, std::nullopt);
  thread.second.bound_to = -1;
}

void ThreadWatch::unbind_caller() {
  const auto caller = threads_.find(this_thread_id());
  if (caller != threads_.end()) unbind(*caller);
}

void ThreadWatch::unbind_all() {
  for (auto& thread : threads_) unbind(thread);
}

bool ThreadWatch::alive(const std::vector<int>& tids) const {
  return std::all_of(tids.begin(), tids.end(),
                     [&](int tid) { return threads_.count(tid) != 0 && ran_ns(tid) >= 0; });
}

}  // namespace gemmlab
