#include "cpu/device/sample_watch.h"

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>

#include "core/machine/machine.h"
#include "cpu/table.h"
#include "operations/gemm/implementation.h"
#include "tests/core/machine/busy.h"
#include "tests/core/machine/usable_processors.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace gemmlab::cpu {
namespace {

using std::chrono::milliseconds;
using test::usable_processors;
using test::work_for;

/// What is seen is the scheduler's doing as well: an idle thread of an earlier team may still spin, one that
/// works may be moved or interrupted, and clocks that are read one after another need not agree. So one of
/// several samples must be right; what is wrong in itself is wrong in all of them.
constexpr int kAttempts = 50;

bool in_any_attempt(const std::function<bool()>& right) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (right()) return true;
  }
  return false;
}

int cores() {
  return static_cast<int>(cpu_info().first_processors.size());
}

/// A call that works on as many OpenMP threads as it is told; on each for longer than a fiftieth of what an
/// idle one may spin at the barriers, for less would not count as taking part.
Backend::Call on_threads(int threads) {
  return [threads] {
    omp_set_dynamic(0);
#pragma omp parallel num_threads(threads)
    {
#pragma omp barrier
      work_for(milliseconds(2));
    }
  };
}

Conditions conditions_of(Backend& backend, const Backend::Call& call, bool wake, std::uint64_t key = 1) {
  backend.settle(wake ? call : Backend::Call());
  backend.sample({call}, Scope::kKernel, Timing::kLaunch, key);
  return backend.conditions();
}

bool pinned_in_any(Backend& backend, int threads, bool wake) {
  return in_any_attempt([&] {
    const Conditions seen = conditions_of(backend, on_threads(threads), wake);
    return seen.pinned.value_or(false) && seen.threads_ran == threads &&
           static_cast<int>(seen.cores.size()) == threads;
  });
}

TEST(SampleWatch, every_thread_has_a_core_of_its_own_whatever_the_team_was_before) {
  const auto backend = make_backend();
  const int all = usable_processors();
  for (const bool wake : {true, false}) {
    for (const int threads : {1, cores(), 1, cores(), 2, cores(), cores() + 1, cores()}) {
      if (threads > cores()) {
        EXPECT_FALSE(conditions_of(*backend, on_threads(threads), wake).pinned.value());
      } else {
        EXPECT_TRUE(pinned_in_any(*backend, threads, wake)) << threads << " threads, call " << wake;
      }
      EXPECT_EQ(usable_processors(), all) << "the calling thread stayed bound after " << threads;
    }
  }
}

TEST(SampleWatch, several_end_to_end_calls_after_one_settle_are_seen_together) {
  const auto backend = make_backend();
  const int all = usable_processors();
  const Backend::Call call = on_threads(cores());
  float c[1] = {};
  EndToEnd work;
  work.operands = {{c, sizeof c, Direction::kOut}};
  work.run = [&](const Operands&) { call(); };
  EXPECT_TRUE(in_any_attempt([&] {
    backend->settle(call);
    for (int i = 0; i < 3; ++i) backend->end_to_end_s(work);
    const Conditions seen = backend->conditions();
    return seen.pinned.value() && seen.threads_ran == cores();
  }));
  EXPECT_EQ(usable_processors(), all);
}

/// The processors that the most restricted thread of a team may use.
int least_usable(int threads) {
  int least = usable_processors();
#pragma omp parallel num_threads(threads) reduction(min : least)
  least = usable_processors();
  return least;
}

TEST(SampleWatch, a_thread_made_during_a_sample_is_free_afterwards) {
  const int all = usable_processors();
  int threads = cores() + 1;
  EXPECT_TRUE(in_any_attempt([&] {
    ++threads;  // each attempt has one to make
    // a backend of its own: threads that an earlier one took for the call's are let go with it
    const auto backend = make_backend();
    // settled for one thread, so that the team is made while the calling thread is bound
    backend->settle(on_threads(1));
    backend->sample({on_threads(threads)}, Scope::kKernel, Timing::kLaunch, 1);
    return least_usable(threads) == all;
  }));
}

TEST(SampleWatch, a_sample_that_throws_leaves_the_calling_thread_free) {
  const auto backend = make_backend();
  const int all = usable_processors();
  backend->settle(on_threads(1));
  EXPECT_THROW(
      backend->sample({[] { throw std::runtime_error("planted"); }}, Scope::kKernel, Timing::kLaunch, 1),
      std::runtime_error);
  EXPECT_EQ(usable_processors(), all);
}

TEST(SampleWatch, a_call_on_one_thread_is_seen_though_more_were_asked_for) {
  const auto backend = make_backend();
  const auto seen_in_any = [&](int threads) {
    return in_any_attempt(
        [&] { return conditions_of(*backend, on_threads(threads), true).threads_ran == threads; });
  };
  EXPECT_TRUE(seen_in_any(2));
  EXPECT_TRUE(seen_in_any(1));
  EXPECT_TRUE(seen_in_any(2));
}

TEST(SampleWatch, threads_that_come_and_go_are_not_counted_and_not_bound) {
  const auto backend = make_backend();
  const Backend::Call call = [] { std::thread([] { work_for(milliseconds(5)); }).join(); };
  // a thread that was joined takes some microseconds more to leave, and may be met as it does
  EXPECT_TRUE(in_any_attempt([&] {
    const Conditions seen = conditions_of(*backend, call, true);
    return seen.threads_ran == 0 && !seen.pinned.value() && !seen.unbound.empty();
  }));
}

/// A library's pool of one thread beside the caller. It ends its thread when it is told to, and the next call starts
/// another.
class Pool {
 public:
  ~Pool() { shrink(); }
  void shrink() {
    if (!thread_.joinable()) return;
    stop_ = true;
    ask();
    thread_.join();
    stop_ = false;
  }
  void call() {
    const int before = done_;
    if (!thread_.joinable()) thread_ = std::thread([this, served = asked_.load()] { serve(served); });
    ask();
    work_for(milliseconds(2));
    done_.wait(before);
  }

 private:
  void ask() {
    ++asked_;
    asked_.notify_one();
  }
  void serve(int served) {
    for (;; ++served) {
      asked_.wait(served);
      if (stop_) return;
      work_for(milliseconds(2));
      ++done_;
      done_.notify_one();
    }
  }
  std::atomic<int> asked_ = 0;
  std::atomic<int> done_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

TEST(SampleWatch, threads_that_a_library_starts_anew_are_bound_when_the_sample_is_taken_again) {
  if (cores() < 2) GTEST_SKIP() << "one core";
  for (const bool wake : {true, false}) {
    const auto backend = make_backend();
    Pool pool;
    const Backend::Call call = [&] { pool.call(); };
    conditions_of(*backend, call, wake);
    EXPECT_TRUE(in_any_attempt([&] {
      pool.shrink();
      Conditions seen = conditions_of(*backend, call, wake);
      const bool unbound = !seen.pinned.value();
      EXPECT_EQ(unbound, !seen.unbound.empty());
      if (unbound) seen = conditions_of(*backend, call, wake);
      return (unbound || wake) && seen.pinned.value() && seen.threads_ran == 2 && seen.cores.size() == 2;
    })) << "call "
        << wake;
  }
}

TEST(SampleWatch, a_team_that_is_gone_is_formed_anew_before_a_call_too_long_to_be_made_twice) {
  if (cores() < 2) GTEST_SKIP() << "one core";
  const auto backend = make_backend();
  EXPECT_TRUE(in_any_attempt([&] {
    // a team belongs to the thread that calls, and ends with it
    std::thread([&] { conditions_of(*backend, on_threads(cores()), false); }).join();
    bool pinned = false;
    std::thread([&] {
      const Conditions seen = conditions_of(*backend, on_threads(cores()), false);
      pinned = seen.pinned.value() && seen.threads_ran == cores();
    }).join();
    return pinned;
  }));
}

/// A process that keeps a core busy as long as it lives. A thread would count as one of the call's.
class Rival {
 public:
  explicit Rival(int core) : pid_(fork()) {
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
    for (volatile bool forever = true; forever;) {
    }
  }
  ~Rival() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  bool started() const { return pid_ > 0; }

 private:
  pid_t pid_;
};

TEST(SampleWatch, a_rival_on_the_same_core_shows_as_run_queue_delay) {
  const auto backend = make_backend();
  const Rival rival(cpu_info().first_processors.front());
  ASSERT_TRUE(rival.started());
  const Backend::Call call = [] { work_for(milliseconds(50)); };
  // The call and the rival get half of the core each. Unbound, the call would go to another one.
  EXPECT_TRUE(in_any_attempt([&] {
    const Conditions seen = conditions_of(*backend, call, true);
    return seen.pinned.value() && seen.threads_ran == 1 && seen.run_queue_delay_s.value_or(0) > 5e-3;
  }));
}

TEST(SampleWatch, pools_of_libraries_are_bound_too) {
  if (cores() < 2) GTEST_SKIP() << "one core";
  const auto backend = make_backend();
  const Shape shape{512, 512, 512};
  std::vector<float> a(512 * 512, 1.0F);
  std::vector<float> c(512 * 512);
  for (const Implementation* implementation : of_operation(implementations(), "gemm")) {
    const Description& description = implementation->description();
    if (!description.reference || !implementation->unavailable().empty()) continue;
    const Parameters two_threads = complete(description, {{"threads", std::int64_t{2}}});
    if (!implementation->why_not(gemm_at(shape), two_threads).empty()) continue;
    const auto session = implementation->prepare(gemm_at(shape), two_threads);
    const Backend::Call call = [&] { multiply(*session, a.data(), a.data(), c.data()); };
    call();
    int came_and_went = 0;
    const bool pinned = in_any_attempt([&] {
      const Conditions seen = conditions_of(*backend, call, true);
      came_and_went += seen.threads_ran == 0 ? 1 : 0;
      return seen.pinned.value() && seen.threads_ran == 2 && seen.cores.size() == 2;
    });
    EXPECT_TRUE(pinned || 2 * came_and_went > kAttempts) << description.id;
  }
}

TEST(SampleWatch, tells_whether_denormals_are_flushed) {
  const auto backend = make_backend();
  const Backend::Call nothing = [] {};
  EXPECT_FALSE(conditions_of(*backend, nothing, true).denormals_flushed.value_or(false));
#if defined(__x86_64__)
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 1U << 15);
  EXPECT_TRUE(conditions_of(*backend, nothing, true).denormals_flushed.value());
  _mm_setcsr(before);
#endif
}

}  // namespace
}  // namespace gemmlab::cpu
