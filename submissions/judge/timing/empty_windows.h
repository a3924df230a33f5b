#pragma once

// What the judge's clock shows of a window on a GPU in which no product is computed: a message there, inputs made on the card,
// an empty kernel launched and waited for, C sealed, for each call, and a message back. Taken from every time.

#include <map>
#include <tuple>
#include <vector>

#include "submissions/judge/processes/callee_process.h"

namespace gemmlab::submissions {

/// Calls of a window at that shape: all their Cs must find room.
int most_calls(const Shape& shape);

/// What one window has in common with another.
struct WindowKind {
  Shape shape;
  int calls = 1;
  bool waits = false;  ///< as in Request
};

/// A process that no submitted code has ever been in, and its windows.
class EmptyWindows {
 public:
  /// `like`: how a submission is set up, with matrices as large as any of `shapes`, for which it takes all memory at once: no
  /// submission can leave it without. Throws std::runtime_error where the process does not start.
  EmptyWindows(const CalleeSetup& like, const std::vector<Shape>& shapes);
  /// One more of that kind: before each that is timed.
  void take(const WindowKind& kind);

  /// Seconds of a call, of a window's time by the clock; never below a tenth of it. No more is taken off than half again of what
  /// was at the start: a submission that leaves work on the card would shorten its own times by it.
  double less(double clock_s, const WindowKind& kind) const;
  /// So uncertain is what was taken off each call.
  double uncertain_s(const WindowKind& kind) const;
  /// Seconds of a call that are taken off, and what they were before any submission had run.
  double taken_s(const WindowKind& kind) const;
  double at_start_s(const WindowKind& kind) const;

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, int, bool>;
  static Key key_of(const WindowKind& kind) {
    return {kind.shape.m, kind.shape.n, kind.shape.k, kind.calls, kind.waits};
  }
  double window_s(const WindowKind& kind);
  double shortest_s(const WindowKind& kind);
  double most_s(const WindowKind& kind) const;

  CalleeProcess process_;
  std::map<Key, std::vector<double>> samples_s_;
  std::map<Key, double> at_start_s_;  ///< before any submission, of one call and of the most
};

}  // namespace gemmlab::submissions
