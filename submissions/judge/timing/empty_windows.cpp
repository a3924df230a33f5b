#include "submissions/judge/timing/empty_windows.h"

#include <algorithm>
#include <stdexcept>

#include "core/statistics.h"
#include "submissions/judge/timing/empty_samples.h"

namespace gemmlab::submissions {
namespace {

constexpr double kWindowLimit_s = 30;
constexpr int kTimesAtStart = 4;      ///< the first loads code
constexpr double kMostOfStart = 1.5;  ///< times what it was at the start

CalleeSetup setup_without_product(CalleeSetup setup) {
  setup.library.clear();
  setup.implementation.clear();
  setup.idle_threads = 1;
  setup.writable_inputs = false;
  return setup;
}

}  // namespace

int most_calls(const Shape& shape) {
  constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;
  const auto c_bytes = shape.c_count() * static_cast<std::int64_t>(sizeof(float));
  return static_cast<int>(std::clamp<std::int64_t>(kMostBytes / c_bytes, 1, kMostCallsOfWindow));
}

EmptyWindows::EmptyWindows(const CalleeSetup& like, const std::vector<Shape>& shapes)
    : process_(setup_without_product(like)) {
  if (process_.ready(kStart_s).reply.said != Said::kReady || !process_.alive() ||
      process_.load(kWindowLimit_s).reply.said != Said::kLoaded)
    throw std::runtime_error("the process that makes empty windows did not start: " + process_.printed());
  process_.pause();
  for (const Shape& shape : shapes) {
    for (const bool waits : {false, true}) {
      for (const int calls : {most_calls(shape), 1}) {
        const WindowKind kind{shape, calls, waits};
        at_start_s_[key_of(kind)] = shortest_s(kind);
      }
    }
  }
}

double EmptyWindows::shortest_s(const WindowKind& kind) {
  double least_s = window_s(kind);
  for (int i = 1; i < kTimesAtStart; ++i) least_s = std::min(least_s, window_s(kind));
  return least_s;
}

double EmptyWindows::window_s(const WindowKind& kind) {
  Request request = call_at(kind.shape);
  request.calls = kind.calls;
  request.waits = kind.waits ? 1 : 0;
  request.untimed = kUntimedCalls;
  const CallEnd end = process_.window(request, {}, kWindowLimit_s);
  if (end.how != CallEnd::How::kAnswered || end.reply.said != Said::kReturned)
    throw std::runtime_error("the process that makes empty windows ended: " + process_.printed() +
                             end.reply.text);
  process_.pause();
  return end.wall_s;
}

void EmptyWindows::take(const WindowKind& kind) {
  std::vector<double>& samples_s = samples_s_[key_of(kind)];
  // else a single one that was held up would take half of a short call off the first windows
  if (samples_s.empty()) samples_s.push_back(at_start_s(kind) * kind.calls);
  samples_s.push_back(window_s(kind));
}

/// Windows of as many calls lie on a line between those of one and of the most.
double EmptyWindows::at_start_s(const WindowKind& kind) const {
  const int most = most_calls(kind.shape);
  const double one_s = at_start_s_.at(key_of({kind.shape, 1, kind.waits}));
  const double most_s = at_start_s_.at(key_of({kind.shape, most, kind.waits}));
  const double call_s = most > 1 ? (most_s - one_s) / (most - 1) : 0;
  return (one_s + call_s * (kind.calls - 1)) / kind.calls;
}

double EmptyWindows::most_s(const WindowKind& kind) const {
  return kMostOfStart * at_start_s(kind) * kind.calls;
}

double EmptyWindows::taken_s(const WindowKind& kind) const {
  return std::min(taken_off_s(samples_s_.at(key_of(kind))), most_s(kind)) / kind.calls;
}

double EmptyWindows::less(double clock_s, const WindowKind& kind) const {
  return std::max(clock_s / kind.calls - taken_s(kind), clock_s / kind.calls / 10);
}

double EmptyWindows::uncertain_s(const WindowKind& kind) const {
  return uncertain_of_taken_s(samples_s_.at(key_of(kind))) / kind.calls;
}

}  // namespace gemmlab::submissions
