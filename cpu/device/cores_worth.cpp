#include "cpu/device/cores_worth.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "core/machine/machine.h"
#include "core/machine/thread_watch.h"
#include "core/statistics.h"
#include "cpu/device/loops.h"

namespace gemmlab::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// Two threads of a core do 0.9 to 1.1 times what one does, two cores 2.0 times. Whatever slows down one of the
// three lies between, or beyond either.
constexpr double kShared = 1.3;
constexpr double kApart = 1.6;
constexpr double kSpread = 0.25;  ///< of the middle half of the rounds, in medians: more is not clear
constexpr int kLooks = 2;         ///< at each pair, before most of them are let go
constexpr int kRounds = 7;
constexpr int kMostRounds = 3 * kRounds;
constexpr std::chrono::microseconds kShort{1000};
constexpr std::chrono::microseconds kLong{3000};  // threads of a whole team do not start at once

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

/// Operations per second of a thread on each of the processors, all at once.
double rate_on(const std::vector<int>& processors, Clock::duration time) {
  constexpr std::int64_t kTurns = 1 << 9;  // some microseconds
  const Loops& loops = widest_loops();
  double sum = 0;
#pragma omp parallel num_threads(static_cast <int>(processors.size())) reduction(+ : sum)
  {
    bind_thread(this_thread_id(), processors[static_cast<std::size_t>(omp_get_thread_num())]);
#pragma omp barrier
    const auto start = Clock::now();
    double done = 0;
    while (Clock::now() - start < time) done += loops.fma(kTurns);
    sum += done / std::chrono::duration<double>(Clock::now() - start).count();
    bind_thread(this_thread_id(), std::nullopt);
  }
  return sum;
}

double gain_of(const std::vector<int>& processors, Clock::duration time) {
  const double alone = rate_on({processors.front()}, time);
  return rate_on(processors, time) / alone;
}

/// Adds rounds until what they say is clear, or there are too many of them.
template <typename Answer>
auto asked_until_clear(std::vector<double>& gains, const std::vector<int>& processors, Clock::duration time,
                       const Answer& answer) {
  do {
    for (int round = 0; round < kRounds; ++round) gains.push_back(gain_of(processors, time));
  } while (!answer(gains) && gains.size() < kMostRounds);
  return answer(gains);
}

/// Two short looks at each pair let most of them go; what may be shared is looked at again.
std::optional<std::vector<std::pair<int, int>>> pairs_of_first(const std::vector<int>& processors) {
  std::vector<std::pair<int, int>> pairs;
  bool clear = true;
  for (std::size_t i = 1; i < processors.size(); ++i) {
    const std::vector<int> two{processors.front(), processors[i]};
    std::vector<double> gains;
    for (int look = 0; look < kLooks; ++look) gains.push_back(gain_of(two, kShort));
    if (*std::min_element(gains.begin(), gains.end()) >= kApart) continue;
    const std::optional<bool> shared = asked_until_clear(gains, two, kShort, share_a_core);
    if (shared.value_or(false)) pairs.emplace_back(two[0], two[1]);
    clear = clear && shared.has_value();
  }
  if (!clear) return std::nullopt;
  return pairs;
}

}  // namespace

std::optional<bool> share_a_core(const std::vector<double>& gains) {
  if (gains.empty()) return std::nullopt;
  const double middle = median(gains);
  if (middle <= kShared) return true;
  if (middle >= kApart) return false;
  return std::nullopt;
}

std::optional<double> cores_worth(const std::vector<double>& gains, int processors) {
  if (gains.empty()) return std::nullopt;
  const double middle = median(gains);
  if (!(quantile(gains, 0.75) - quantile(gains, 0.25) <= kSpread * middle)) return std::nullopt;
  return std::min(middle, static_cast<double>(processors));
}

CoresWorth measure_cores_worth() {
  const CpuInfo& machine = cpu_info();
  std::vector<int> processors = machine.first_processors;
  processors.resize(std::min(processors.size(), static_cast<std::size_t>(machine.cores)));
  if (processors.size() < 2) return {1.0, std::vector<std::pair<int, int>>{}};
  omp_set_dynamic(0);
  CoresWorth found;
  found.smt_pairs = pairs_of_first(processors);
  std::vector<double> gains;
  found.cores_worth =
      asked_until_clear(gains, processors, kLong, [count = processors.size()](const auto& measured) {
        return cores_worth(measured, static_cast<int>(count));
      });
  return found;
}

}  // namespace gemmlab::cpu
