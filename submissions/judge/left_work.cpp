#include "submissions/judge/left_work.h"

#include <unistd.h>

#include <vector>

#include "core/statistics.h"

namespace gemmlab::submissions {
namespace {

constexpr int kTimes = 5;
constexpr double kHarmed = 1.2;  ///< times as long; windows of one kernel differ by less
constexpr int kLooks = 10;
constexpr useconds_t kBetweenLooks_us = 500'000;

/// By the card's events, which busy processors do not lengthen; these processes are our own.
bool were_slower(std::deque<EntrantAtShape>& here) {
  for (EntrantAtShape& one : here) {
    if (one.own() || one.timing().events_s.empty() || !one.timing().skipped.empty()) continue;
    std::vector<double> again_s;
    for (int i = 0; i < kTimes; ++i) {
      if (const double time_s = one.once_more_by_events(); time_s > 0) again_s.push_back(time_s);
    }
    if (!again_s.empty() && median(one.timing().events_s) > kHarmed * median(again_s)) return true;
  }
  return false;
}

}  // namespace

LeftWork left_work(EmptyWindows& windows, std::deque<EntrantAtShape>& here) {
  if (!windows.card_at_work()) return LeftWork::kNone;
  for (int look = 0; look < kLooks; ++look) {
    if (!windows.card_at_work_now()) return were_slower(here) ? LeftWork::kOfSubmission : LeftWork::kNone;
    usleep(kBetweenLooks_us);
  }
  return LeftWork::kOfOthers;
}

}  // namespace gemmlab::submissions
