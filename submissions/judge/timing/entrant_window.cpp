// A sample on a GPU: a window of calls.

#include <algorithm>
#include <cstring>
#include <random>

#include "core/statistics.h"
#include "submissions/judge/inputs/sealed.h"
#include "submissions/judge/timing/entrant.h"

namespace gemmlab::submissions {
namespace {

/// Calls of a window that are looked at. None knows which before the window is over: who leaves out one call in n is found
/// out in one window of n/3, and is done with.
constexpr int kLookedAt = 3;

constexpr int kOnceMore = 1 << 20;  ///< rounds that are none

/// A process that stood still launches its first kernel in 107 µs instead of 31 (cuBLAS, beside an H200). Long calls do without.
int untimed_calls(double expected_s) {
  constexpr double kTogether_s = 5e-3;
  return expected_s > 0 ? static_cast<int>(std::min<double>(kTogether_s / expected_s, kUntimedCalls)) : 0;
}

/// Which ones, as nobody could foresee.
std::vector<int> looked_at(int calls, int wanted) {
  std::random_device random;
  std::vector<int> chosen;
  while (chosen.size() < static_cast<std::size_t>(std::min(calls, wanted))) {
    const int one = std::uniform_int_distribution<int>(0, calls - 1)(random);
    if (std::find(chosen.begin(), chosen.end(), one) == chosen.end()) chosen.push_back(one);
  }
  return chosen;
}

}  // namespace

/// So many calls that what a window takes besides is small beside them. Those that warm up show whether it has streams of its
/// own; long calls gain nothing where their launches do not show.
WindowKind EntrantAtShape::kind_of_window(int round) {
  constexpr double kWindow_s = 2e-3;
  constexpr double kLaunchesShow_s = 1e-3;
  const double expected_s = seconds_per_sample();
  const bool waits = round < 0 || entrant_.own_streams || expected_s <= 0 || expected_s > kLaunchesShow_s;
  if (window_calls_ > 0) return {at_.shape, window_calls_, waits};
  const std::int64_t wanted = expected_s > 0 ? static_cast<std::int64_t>(kWindow_s / expected_s) : 1;
  const int calls = static_cast<int>(std::clamp<std::int64_t>(wanted, 1, most_calls(at_.shape)));
  if (round >= 0) window_calls_ = calls;
  return {at_.shape, calls, waits};
}

TwoClocks EntrantAtShape::once_more() {
  const double clock_s = window(kOnceMore + once_more_++);
  return clock_s > 0 ? TwoClocks{clock_s, events_s_, timing_.clock_s, timing_.alone_s} : TwoClocks{};
}

double EntrantAtShape::some_more_s() {
  constexpr int kTimes = 5;
  warm_up();
  std::vector<double> times_s;
  for (int i = 0; i < kTimes; ++i) {
    const TwoClocks clocks = once_more();
    if (clocks.clock_s > 0 && clocks.agree()) times_s.push_back(clocks.clock_s);
  }
  return times_s.empty() ? 0 : median(times_s);
}

/// Seconds of a call, by the judge's own clock; 0 where the window cannot be counted.
double EntrantAtShape::window(int round) {
  CalleeProcess& process = *entrant_.process;
  const WindowKind kind = kind_of_window(round);
  Request request = call_at(at_.shape);
  request.calls = kind.calls;
  request.waits = kind.waits ? 1 : 0;
  request.untimed = untimed_calls(seconds_per_sample());
  // the submission could tell its twin what it was told
  const WindowKey key =
      at_.of_windows.key(2 * static_cast<std::uint64_t>(round - kFirstWarmUp) + (entrant_.is(kTwin) ? 1 : 0));
  at_.windows->take(kind);
  const CallEnd end = process.window(request, key, at_.rule.limits.call_s + kTimedTransfer_s);
  const bool first_stream = end.reply.own_streams != 0 && !entrant_.own_streams;
  entrant_.own_streams = entrant_.own_streams || first_stream;
  // made just now: its A and B may not have been there when it read them
  const bool counts = !(first_stream && !kind.waits) && sealed_and_right(end, key, kind.calls);
  process.pause();
  if (!counts) return 0;
  const double time_s = at_.windows->less(end.wall_s, kind);
  timing_.clock_s = at_.windows->uncertain_s(kind);
  timing_.taken_off_s = at_.windows->taken_s(kind);
  timing_.taken_off_at_start_s = at_.windows->at_start_s(kind);
  entrant_.s_per_flop = time_s / at_.shape.flop();
  events_s_ = end.reply.seconds;
  if (entrant_.is(kSubmission)) at_.calls.learn(end, time_s, at_.shape);
  return time_s;
}

bool EntrantAtShape::sealed_and_right(const CallEnd& end, const WindowKey& key, int calls) {
  if (failure_of(end, Phase::kTiming, at_.shape, at_.rule.limits.call_s, entrant_.process->printed()) ||
      end.reply.said != Said::kReturned) {
    refused(end);
    return false;
  }
  const std::vector<int> chosen = looked_at(calls, own() ? kLookedAt : 1);
  return std::all_of(chosen.begin(), chosen.end(),
                     [&](int call) { return brought_and_right(end, key, call); });
}

/// Does C of that call fit the seal that came in time, and is it the product?
bool EntrantAtShape::brought_and_right(const CallEnd& end, const WindowKey& key, int call) {
  CalleeProcess& process = *entrant_.process;
  Request bring = call_at(at_.shape);
  bring.ask = Ask::kBring;
  bring.number = call;
  const CallEnd brought = process.ask(bring, kTimedTransfer_s);
  if (failure_of(brought, Phase::kTiming, at_.shape, kTimedTransfer_s, process.printed()) ||
      brought.reply.said != Said::kReturned) {
    refused(brought);
    return false;
  }
  // a copy: the card could write where it lies
  brought_.resize(static_cast<std::size_t>(at_.shape.c_count()));
  std::memcpy(brought_.data(), process.matrices().c->at(0), brought_.size() * sizeof(float));
  const Seal previous = call == 0 ? Seal{} : end.reply.seals[call - 1];
  if (!(seal_of(brought_.data(), at_.shape.c_count(), key, previous) == end.reply.seals[call])) {
    if (own()) {
      at_.calls.changed_later(at_.shape);
    } else {
      timing_.skipped = "its result changed after the call";
    }
    return false;
  }
  const std::int64_t number = at_.of_windows.call_after(key, previous);
  if (own()) return at_.calls.accepted(brought_.data(), at_.shape, process, at_.of_windows, number, bring);
  if (right(at_.of_windows.check(brought_.data(), number))) return true;
  timing_.skipped = "its result was wrong";
  return false;
}

}  // namespace gemmlab::submissions
