#pragma once

// One subject of a group, from refusal or preparation to its verified last sample. Used by measure.cpp alone.

#include <memory>
#include <stdexcept>
#include <vector>

#include "core/input_sets.h"
#include "core/measure.h"

namespace gemmlab {

/// The device no longer answers (a sticky CUDA error): the process has to be replaced.
class DeviceLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the subjects of a group share on one device.
struct DeviceInputs {
  Backend& backend;
  InputSets exact;  ///< one set of integers
  InputSets timed;  ///< rotating sets of the distribution asked for
};

/// What all subjects of a group share.
struct GroupReferences {
  const Reference& exact;
  const Reference& bound;
};

class SubjectRun {
 public:
  SubjectRun(int index, const Subject& subject, const MeasureSettings& settings, Watch& watch)
      : index_(index), subject_(subject), settings_(settings), watch_(watch) {}

  /// Refuses, skips, or prepares, checks and warms up. False when the outcome is final already.
  bool start(DeviceInputs& inputs, const GroupReferences& references);
  /// Takes this round's sample. False when the outcome is final.
  bool round(int round);

  int index() const { return index_; }
  const Outcome& outcome() const { return outcome_; }
  /// Ends the subject from outside, as when its device ran out of memory before it began.
  void end(Status status, const std::string& reason);

 private:
  template <typename Work>
  bool guarded(Work&& work);
  bool predicted_too_long();
  double pilot_seconds_a_call(std::int64_t rows);
  void check_exact();
  void warm_up();
  void choose_timing();
  void settle();
  double sample();
  void verified_sample(int round);
  void check_timed_output(std::int64_t set);
  void check_unchanged(InputSets& inputs, const Reference& reference, std::int64_t set);
  bool wrong_so_far();
  bool wants_more() const;
  void conclude();

  int index_;
  const Subject& subject_;
  const MeasureSettings& settings_;
  Watch& watch_;
  DeviceInputs* inputs_ = nullptr;
  const GroupReferences* references_ = nullptr;
  std::unique_ptr<Session> session_;
  Outcome outcome_;
  double seconds_a_call_ = 0;
  double timed_s_ = 0;
  std::int64_t next_set_ = 0;
  std::size_t next_look_ = 6;  ///< number of samples at which the interval is looked at again
  std::vector<Backend::Call> calls_;
};

}  // namespace gemmlab
