#include "submissions/judge/left_work.h"

#include <unistd.h>

#include <vector>

#include "core/statistics.h"

namespace gemmlab::submissions {
namespace {

constexpr int kTimes = 5;
constexpr double kHarmed = 1.2;  ///< times as long; windows of one kernel differ by less
constexpr int kLooks = 10;
constexpr useconds_t kBetweenLooks_us = 100'000;

bool were_slower(std::deque<EntrantAtShape>& here) {
  for (EntrantAtShape& one : here) {
    if (one.own() || one.timing().samples_s.empty() || !one.timing().skipped.empty()) continue;
    std::vector<double> again_s;
    for (int i = 0; i < kTimes; ++i) {
      if (const double time_s = one.once_more(); time_s > 0) again_s.push_back(time_s);
    }
    if (!again_s.empty() && median(one.timing().samples_s) > kHarmed * median(again_s)) return true;
  }
  return false;
}

}  // namespace

LeftWork left_work(EmptyWindows& windows, std::deque<EntrantAtShape>& here,
                   const std::function<void()>& end_submission) {
  if (!windows.card_at_work()) return LeftWork::kNone;
  for (int look = 0; look < kLooks; ++look) {
    if (!windows.card_at_work_now()) return were_slower(here) ? LeftWork::kOfSubmission : LeftWork::kNone;
    usleep(kBetweenLooks_us);
  }
  end_submission();
  return windows.card_at_work_now() ? LeftWork::kOfStrangers : LeftWork::kOfSubmission;
}

}  // namespace gemmlab::submissions
