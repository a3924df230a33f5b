#pragma once

// One racer in the suite's rounds: its process, and its part at one shape.

#include <memory>

#include "core/rounds.h"
#include "submissions/judge/timed_calls.h"
#include "submissions/judge/timed_inputs.h"
#include "submissions/judge/timer.h"

namespace gemmlab::submissions {

/// A racer with its process, which lives through all shapes.
struct Entrant {
  Racer racer;
  std::unique_ptr<CalleeProcess> process;
  double s_per_flop = 0;  ///< of its last call that counted; 0: none yet

  bool alive() const { return process && process->alive(); }
  bool is(const char* role) const { return racer.role == role; }
  /// Seconds that a call will take, from the one before at another shape; 0 where nothing is known.
  double predicted_s(const Shape& shape) const { return s_per_flop * shape.flop(); }
};

/// The state that the entrants share at one shape.
struct ShapeAtHand {
  const Shape& shape;
  const TimedInputs& inputs;
  const Rule& rule;
  TimedCalls& calls;
  TimingResult& result;
};

/// An entrant at one shape, as the engine sees it. One call is one sample.
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
  /// A call that does not count.
  void warm_up() { one(-1); }
  Entrant& entrant() { return entrant_; }
  Timing& timing() { return timing_; }
  const Timing& timing() const { return timing_; }

 private:
  bool own() const { return entrant_.is(kSubmission) || entrant_.is(kTwin); }
  bool wants_more() const;
  double one(int round);
  double refused(const CallEnd& end);

  Entrant& entrant_;
  ShapeAtHand at_;
  Timing timing_;
  PrecisionStop stop_;
  double timed_s_ = 0;
  int rounds_taken_ = 0;
  std::size_t times_ = 1;  ///< that the rule's rounds are taken
};

}  // namespace gemmlab::submissions
