#pragma once

// One racer in the suite's rounds: its process, and its part at one shape.

#include <memory>

#include "core/timing/rounds.h"
#include "submissions/judge/inputs/timed_inputs.h"
#include "submissions/judge/inputs/window_inputs.h"
#include "submissions/judge/timing/empty_calls.h"
#include "submissions/judge/timing/empty_windows.h"
#include "submissions/judge/timing/timed_calls.h"
#include "submissions/judge/timing/timer.h"
#include "submissions/judge/timing/two_clocks.h"

namespace gemmlab::submissions {

/// A racer with its process, which lives through all shapes.
struct Entrant {
  Racer racer;
  std::unique_ptr<CalleeProcess> process;
  double s_per_flop = 0;          ///< of its last call that counted; 0: none yet
  bool own_streams = false;       ///< it has made streams that the default one does not wait for
  std::vector<double> alone_s{};  ///< of a call at each shape, on a GPU, before any submission had started

  bool alive() const { return process && process->alive(); }
  bool is(const char* role) const { return racer.role == role; }
  bool own() const { return is(kSubmission) || is(kTwin); }
  /// Seconds that a call will take, from the one before at another shape; 0 where nothing is known.
  double predicted_s(const Shape& shape) const { return s_per_flop * shape.flop(); }
};

/// The state that the entrants share at one shape.
struct ShapeAtHand {
  const Shape& shape;
  TimedInputs& inputs;
  Matrices& rooms;           ///< of A and B
  const EmptyCalls* empty;   ///< of a CPU; null on a GPU
  WindowInputs& of_windows;  ///< of a GPU
  EmptyWindows* windows;     ///< of a GPU; null on a CPU
  const Rule& rule;
  TimedCalls& calls;
  TimingResult& result;
};

inline constexpr int kFirstWarmUp = -2;  ///< round of the first window that warms up; -1 is the last

/// Calls of a sample are numbered from here on; those of the warm-up (round -1) are the first.
inline constexpr std::int64_t kMostCallsOfSample = 16;
inline std::int64_t first_call_of(int round) {
  return (round + std::int64_t{1}) * kMostCallsOfSample;
}

/// An entrant at one shape, as the engine sees it. A sample is one call or, where calls are short, the mean of some, each
/// with inputs of its own.
class EntrantAtShape : public Timed {
 public:
  EntrantAtShape(Entrant& entrant, const ShapeAtHand& at);

  void look() override { stop_.look(timing_.samples_s, timed_s_); }
  bool precise() const override { return stop_.reached(); }
  bool needs_rounds() const override { return !precise() && wants_more(); }
  double seconds_per_sample() const override;
  bool round(int number, bool last) override;

  /// As many rounds more.
  void measure_again() { ++times_; }
  /// Calls that do not count.
  void warm_up();
  /// GPU: a call in a window beside those that count; 0 s where there is none.
  TwoClocks once_more();
  /// GPU: the median of some windows that do not count, of those on which both clocks agree; 0 s where there is none.
  double some_more_s();
  bool own() const { return entrant_.own(); }
  Entrant& entrant() const { return entrant_; }
  Timing& timing() { return timing_; }
  const Timing& timing() const { return timing_; }

 private:
  bool wants_more() const;
  std::int64_t calls_of_sample() const;
  double one(int round);
  double call(std::int64_t number);
  bool right_or_said(const CallEnd& end, std::int64_t number);
  WindowKind kind_of_window(int round);
  double window(int round);
  bool sealed_and_right(const CallEnd& end, const WindowKey& key, int calls);
  bool brought_and_right(const CallEnd& end, const WindowKey& key, int call);
  void refused(const CallEnd& end);

  Entrant& entrant_;
  ShapeAtHand at_;
  Timing timing_;
  PrecisionStop stop_;
  double timed_s_ = 0;
  double waited_s_ = 0;  ///< of the sample at hand, per call
  int rounds_taken_ = 0;
  std::size_t times_ = 1;  ///< that the rule's rounds are taken
  int window_calls_ = 0;   ///< of each window that counts; 0: not chosen yet
  int once_more_ = 0;      ///< times
  double events_s_ = 0;    ///< of the last window, by the card's events
  std::vector<float> brought_;
};

}  // namespace gemmlab::submissions
