#pragma once

// What the judge's clock shows of a window on a GPU in which no product is computed: a message there, inputs made on the card,
// an empty kernel launched and waited for, C sealed, for each call, and a message back. Taken from every time. They also show
// whether a submission keeps the card at work while it is not its turn.

#include <map>
#include <tuple>
#include <vector>

#include "submissions/judge/callee_process.h"

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

  /// Seconds of a call, of a window's time by the clock; never below a tenth of it.
  double less(double clock_s, const WindowKind& kind) const;
  /// So uncertain is what was taken off each call.
  double uncertain_s(const WindowKind& kind) const;

  /// A short window now: right after the turn of a process that may have left work on the card.
  void probe();
  void forget_probes() { probes_s_.clear(); }
  /// Do the probes since then take far longer than before any submission had started? An empty window has many gaps, and at
  /// each of them a card at work for somebody else stays with that for a while.
  bool card_at_work() const;
  /// The same, of probes taken now.
  bool card_at_work_now();

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, int, bool>;
  static Key key_of(const WindowKind& kind) {
    return {kind.shape.m, kind.shape.n, kind.shape.k, kind.calls, kind.waits};
  }
  double window_s(const WindowKind& kind);

  CalleeProcess process_;
  std::map<Key, std::vector<double>> samples_s_;
  std::vector<double> probes_s_;
  double quiet_s_ = 0;  ///< a probe's time before any submission
};

}  // namespace gemmlab::submissions
