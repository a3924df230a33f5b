#include "cpu/device/rate.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "core/machine/machine.h"
#include "core/machine/thread_watch.h"

namespace gemmlab::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// A sample and its double fit between two interruptions by what else runs, a few milliseconds apart on a busy
// machine; a barrier is still less than a hundredth of it.
constexpr double kShortestSample_s = 1e-3;
constexpr int kRepetitions = 4;
constexpr int kPasses = 3;
constexpr int kMorePasses = 12;
constexpr double kTolerance = 0.1;  ///< of the factor two between twice the work and the work

/// Seconds from the first thread's start to the last one's end.
double seconds(const Work& work, int threads, std::int64_t units) {
  std::vector<Clock::time_point> starts(static_cast<std::size_t>(threads));
  std::vector<Clock::time_point> ends(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
  {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
#pragma omp barrier
    const auto start = Clock::now();
    work(static_cast<int>(thread), units);
    ends[thread] = Clock::now();
    starts[thread] = start;
  }
  return std::chrono::duration<double>(*std::max_element(ends.begin(), ends.end()) -
                                       *std::min_element(starts.begin(), starts.end()))
      .count();
}

}  // namespace

BoundTeam::BoundTeam(int threads) : threads_(threads) {
  const std::vector<int>& processors = cpu_info().first_processors;
  omp_set_dynamic(0);
  if (static_cast<std::size_t>(threads) > processors.size()) return;
#pragma omp parallel num_threads(threads)
  bind_thread(this_thread_id(), processors[static_cast<std::size_t>(omp_get_thread_num())]);
}

BoundTeam::~BoundTeam() {
#pragma omp parallel num_threads(threads_)
  bind_thread(this_thread_id(), std::nullopt);
}

bool Rate::trusted() const {
  return std::abs(ratio - 2) <= 2 * kTolerance;
}

std::string Rate::how(const std::string& loop) const {
  char text[64];
  std::snprintf(text, sizeof text, "; twice the work took %.2f times the time%s", ratio,
                trusted() ? "" : " (not trusted)");
  return loop + text;
}

void RateMeter::measure() {
  const BoundTeam team(threads_);
  if (units_ == 0) {
    units_ = 1;
    while (seconds(work_, threads_, units_) < kShortestSample_s) units_ *= 2;
  }
  for (int i = 0; i < kRepetitions; ++i) {
    once_s_ = std::min(once_s_, seconds(work_, threads_, units_));
    twice_s_ = std::min(twice_s_, seconds(work_, threads_, 2 * units_));
  }
}

Rate RateMeter::rate() const {
  return {static_cast<double>(units_) / std::min(once_s_, twice_s_ / 2), twice_s_ / once_s_};
}

void measure_all(std::vector<RateMeter>& meters) {
  for (int pass = 0; pass < kPasses; ++pass) {
    for (RateMeter& meter : meters) meter.measure();
  }
  for (int pass = 0; pass < kMorePasses; ++pass) {
    for (RateMeter& meter : meters) {
      if (!meter.rate().trusted()) meter.measure();
    }
  }
}

}  // namespace gemmlab::cpu
