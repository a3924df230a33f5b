#pragma once

// The engine of every timed comparison: which point takes part in which round, in which order, and when it
// ends. core/timing/measure.cpp times the suite's points with it, submissions/judge/ the submitted code.

#include <cstdint>
#include <functional>
#include <vector>

namespace gemmlab {

/// A participant that is timed in rounds beside others.
class Timed {
 public:
  virtual ~Timed() = default;
  /// Checks whether it has reached the precision that was asked for.
  virtual void look() = 0;
  /// It has all the samples that it needs, except for the last one.
  virtual bool precise() const = 0;
  /// It is neither precise nor at its limit.
  virtual bool needs_rounds() const = 0;
  /// Seconds per sample, as measured so far or as estimated by the warm-up.
  virtual double seconds_per_sample() const = 0;
  /// Takes the sample of round `number`: its last where this is the `last` round or it has come to its limit.
  /// False when it is done.
  virtual bool round(int number, bool last) = 0;
};

/// Visits all of them round after round, from `first_round` on, in an order shuffled anew each time: drift
/// hits all alike. All end in one round; only what has come to its limit ends before. `begin`, where there is
/// one, is asked before each round: false ends it all, and what was taken stands.
void interleave(std::vector<Timed*> running, std::uint64_t seed, int first_round,
                const std::function<void(Timed&)>& finished,
                const std::function<bool(int number)>& begin = {});

/// Decides when a median is precise enough: the 95 % interval's relative half-width is at most `wanted`, over
/// at least `least_s` seconds of samples and as many as a comparison takes.
class PrecisionStop {
 public:
  PrecisionStop(double wanted, double least_s) : wanted_(wanted), least_s_(least_s) {}
  void look(const std::vector<double>& samples_s, double timed_s);
  bool reached() const { return reached_; }

 private:
  double wanted_;
  double least_s_;
  bool reached_ = false;
  std::size_t next_look_ = 0;  ///< number of samples at which the interval is looked at again
};

}  // namespace gemmlab
