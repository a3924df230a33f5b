// A sample on a GPU: a window of calls.

#include <algorithm>
#include <cstring>
#include <random>

#include "submissions/judge/entrant.h"
#include "submissions/judge/sealed.h"

namespace gemmlab::submissions {
namespace {

/// Calls of a window that are looked at. None knows which before the window is over: who leaves out one call in n is found
/// out in one window of n/3, and is done with.
constexpr int kLookedAt = 3;

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

/// So many that what a window takes besides is small beside its calls.
int EntrantAtShape::calls_of_window() {
  constexpr double kWindow_s = 2e-3;
  if (window_calls_ > 0) return window_calls_;
  const double expected_s = seconds_per_sample();
  if (expected_s <= 0) return 1;
  const auto wanted = static_cast<std::int64_t>(kWindow_s / expected_s);
  return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, most_calls(at_.shape)));
}

/// Seconds of a call, by the judge's own clock; 0 where the window cannot be counted.
double EntrantAtShape::window(int round) {
  CalleeProcess& process = *entrant_.process;
  const int calls = calls_of_window();
  if (round >= 0) window_calls_ = calls;
  Request request = call_at(at_.shape);
  request.calls = calls;
  // the submission could tell its twin what it was told
  const WindowKey key =
      at_.of_windows.key(2 * static_cast<std::uint64_t>(round - kFirstWarmUp) + (entrant_.is(kTwin) ? 1 : 0));
  at_.windows->take(at_.shape, calls);
  const CallEnd end = process.window(request, key, at_.rule.limits.call_s + kTimedTransfer_s);
  const bool right = sealed_and_right(end, key, calls);
  process.pause();
  if (own() && right && round >= 0) at_.windows->probe();
  if (!right) return 0;
  const double time_s = at_.windows->less(end.wall_s, at_.shape, calls);
  timing_.clock_s = at_.windows->uncertain_s(at_.shape, calls);
  entrant_.s_per_flop = time_s / at_.shape.flop();
  if (entrant_.is(kSubmission)) at_.calls.learn(end, time_s, at_.shape);
  if (round >= 0) timing_.events_s.push_back(end.reply.seconds);
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
