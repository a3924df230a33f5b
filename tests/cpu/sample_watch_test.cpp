#include "cpu/sample_watch.h"

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "core/machine.h"
#include "cpu/table.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace gemmlab::cpu {
namespace {

using Clock = std::chrono::steady_clock;

int usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  return CPU_COUNT(&set);
}

int cores() {
  return static_cast<int>(cpu_info().first_processors.size());
}

void work_for(std::chrono::microseconds time) {
  for (const auto end = Clock::now() + time; Clock::now() < end;) {
  }
}

/// A call that works on as many OpenMP threads as it is told.
Backend::Call on_threads(int threads) {
  return [threads] {
    omp_set_dynamic(0);
#pragma omp parallel num_threads(threads)
    {
#pragma omp barrier
      work_for(std::chrono::microseconds(200));
    }
  };
}

Conditions conditions_of(Backend& backend, const Backend::Call& call, bool wake, std::uint64_t key = 1) {
  backend.settle(wake ? call : Backend::Call());
  backend.sample({call}, Scope::kKernel, Timing::kLaunch, key);
  return backend.conditions();
}

/// The scheduler may move a thread after its work, so one of several samples must show it.
bool pinned_in_any(Backend& backend, int threads, bool wake) {
  for (int attempt = 0; attempt < 5; ++attempt) {
    const Conditions seen = conditions_of(backend, on_threads(threads), wake);
    if (seen.pinned.value_or(false) && seen.threads_ran == threads &&
        static_cast<int>(seen.cores.size()) == threads) {
      return true;
    }
  }
  return false;
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
  work.c = c;
  work.c_count = 1;
  work.multiply = [&](const float*, const float*, float*) { call(); };
  bool pinned = false;
  for (int attempt = 0; attempt < 5 && !pinned; ++attempt) {
    backend->settle(call);
    for (int i = 0; i < 3; ++i) backend->end_to_end_s(work);
    pinned = backend->conditions().pinned.value();
    EXPECT_EQ(backend->conditions().threads_ran, cores());
  }
  EXPECT_TRUE(pinned);
  EXPECT_EQ(usable_processors(), all);
}

TEST(SampleWatch, a_thread_made_during_a_sample_is_free_afterwards) {
  const auto backend = make_backend();
  const int all = usable_processors();
  const int more = cores() + 2;
  // settled for one thread, so that the team is made while the calling thread is bound
  backend->settle(on_threads(1));
  backend->sample({on_threads(more)}, Scope::kKernel, Timing::kLaunch, 1);
  std::vector<int> usable(static_cast<std::size_t>(more));
#pragma omp parallel num_threads(more)
  usable[static_cast<std::size_t>(omp_get_thread_num())] = usable_processors();
  for (const int count : usable) EXPECT_EQ(count, all);
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
  conditions_of(*backend, on_threads(2), true);
  EXPECT_EQ(conditions_of(*backend, on_threads(1), true).threads_ran, 1);
  EXPECT_EQ(conditions_of(*backend, on_threads(2), true).threads_ran, 2);
}

TEST(SampleWatch, threads_that_come_and_go_are_not_counted_and_not_bound) {
  const auto backend = make_backend();
  const Backend::Call call = [] { std::thread([] { work_for(std::chrono::milliseconds(5)); }).join(); };
  const Conditions seen = conditions_of(*backend, call, true);
  EXPECT_EQ(seen.threads_ran, 0);
  EXPECT_FALSE(seen.pinned.value());
}

TEST(SampleWatch, a_rival_on_the_same_core_shows_as_run_queue_delay) {
  const auto backend = make_backend();
  std::atomic<bool> stop = false;
  std::thread rival([&] {
    bind_thread(this_thread_id(), cpu_info().first_processors.front());
    while (!stop) {
    }
  });
  const Backend::Call call = [] { work_for(std::chrono::milliseconds(100)); };
  // no call beforehand: the rival would count as one of its threads
  conditions_of(*backend, call, false);  // who runs is known from the second call on
  const Conditions seen = conditions_of(*backend, call, false);
  stop = true;
  rival.join();
  EXPECT_GT(seen.run_queue_delay_s.value_or(0), 0.0);
}

TEST(SampleWatch, pools_of_libraries_are_bound_too) {
  if (cores() < 2) GTEST_SKIP() << "one core";
  const auto backend = make_backend();
  const Shape shape{512, 512, 512};
  std::vector<float> a(512 * 512, 1.0F);
  std::vector<float> c(512 * 512);
  for (const Implementation* implementation : implementations()) {
    const Description& description = implementation->description();
    if (!description.reference || !implementation->unavailable().empty()) continue;
    const auto session =
        implementation->prepare(shape, complete(description, {{"threads", std::int64_t{2}}}));
    const Backend::Call call = [&] { session->multiply(a.data(), a.data(), c.data()); };
    call();
    bool pinned = false;
    bool came_and_went = false;
    for (int attempt = 0; attempt < 5 && !pinned; ++attempt) {
      const Conditions seen = conditions_of(*backend, call, true);
      pinned = seen.pinned.value() && seen.threads_ran == 2 && seen.cores.size() == 2;
      came_and_went = seen.threads_ran == 0;
    }
    EXPECT_TRUE(pinned || came_and_went) << description.id;
    EXPECT_FALSE(pinned && came_and_went) << description.id;
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
