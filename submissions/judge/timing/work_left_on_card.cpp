#include "submissions/judge/timing/work_left_on_card.h"

#include <unistd.h>

#include <algorithm>

#include "core/statistics.h"

namespace gemmlab::submissions {
namespace {

constexpr int kLooks = 10;
constexpr int kTimesServed = 2;  ///< one after the other: the first may have met the gap between two kernels
/// Where each wait were a toss of a coin, as on a busy machine, all of them would fall so once in 65,536 times.
constexpr int kTrials = 8;
constexpr useconds_t kBetweenLooks_us = 250'000;

bool comes_to_rest(const CardTurns& turns) {
  for (int look = 0; look < kLooks; ++look) {
    if (look > 0) turns.wait();
    int served = 0;
    while (served < kTimesServed && !turns.other().kept_waiting()) ++served;
    if (served == kTimesServed) return true;
  }
  return false;
}

}  // namespace

LeftOnCard who_kept_it_waiting(const CardTurns& turns) {
  for (int trial = 0; trial < kTrials; ++trial) {
    if (!comes_to_rest(turns)) return LeftOnCard::kOfOthers;
    const bool without = turns.other().kept_waiting();
    if (without || !turns.submission() || !turns.other().kept_waiting()) return LeftOnCard::kNone;
  }
  return LeftOnCard::kOfSubmission;
}

LeftOnCard work_left_on_card(std::deque<EntrantAtShape>& here) {
  const auto kept = std::find_if(here.begin(), here.end(), [](const EntrantAtShape& one) {
    return !one.own() && one.timing().skipped.empty() && two_clocks(one.timing()).kept_waiting();
  });
  if (kept == here.end()) return LeftOnCard::kNone;
  return who_kept_it_waiting({
      [&] { return kept->once_more(); },
      [&] {
        return std::all_of(here.begin(), here.end(),
                           [](EntrantAtShape& one) { return !one.own() || one.once_more().clock_s > 0; });
      },
      [] { usleep(kBetweenLooks_us); },
  });
}

}  // namespace gemmlab::submissions
