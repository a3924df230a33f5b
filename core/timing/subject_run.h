#pragma once

// One subject of a group, from refusal or preparation to its verified last sample. Used by measure.cpp alone.
// subject_run.cpp prepares and checks, subject_sampling.cpp times, subject_energy.cpp tells energy and
// subject_sustained.cpp times without a pause.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "core/timing/measure.h"
#include "core/timing/rounds.h"
#include "core/verification/subject_checks.h"

namespace gemmlab {

/// The device no longer answers (a sticky CUDA error): the process has to be replaced.
class DeviceLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the subjects of a group share on one device.
struct DeviceInputs {
  Backend& backend;
  InputSets exact;                                       ///< one set of integers
  InputSets timed;                                       ///< rotating sets of the distribution asked for
  std::map<HostMemory, std::unique_ptr<HostSets>> host;  ///< made when an end-to-end point first needs them
};

class SubjectRun : public Timed {
 public:
  /// `index` is its own; `origin` is the index of the subject, or of the subject that it is the twin of: the
  /// watcher does not know about twins.
  SubjectRun(int index, int origin, const Subject& subject, const MeasureSettings& settings, Watch& watch)
      : index_(index),
        origin_(origin),
        subject_(subject),
        settings_(settings),
        watch_(watch),
        stop_(settings.precision, settings.min_time_s) {}

  /// Forms its samples as `other` does, which has started and outlives it: with the same number of calls per
  /// sample, whatever the two warm-ups measured, so that the pair differs only in what is compared. Call
  /// before start().
  void sample_like(const SubjectRun& other) { alike_ = &other; }
  /// Refuses, skips, or prepares, checks and warms up. False when the outcome is final already.
  bool start(DeviceInputs& inputs, const GroupReferences& references);
  void look() override { stop_.look(outcome_.samples_s, timed_s_); }
  bool precise() const override { return stop_.reached(); }
  bool needs_rounds() const override { return !precise() && wants_more(); }
  /// The last sample is verified. False when the outcome is final.
  bool round(int round, bool last) override;
  /// After the last round of all, where it is ok and settings.energy_s asks for it: calls without a pause.
  void measure_energy();
  /// Instead of rounds, where sustained(): all of its samples, numbered from `first_round` on.
  void sustain(int first_round);

  int index() const { return index_; }
  int origin() const { return origin_; }
  const Subject& subject() const { return subject_; }
  const Outcome& outcome() const { return outcome_; }
  bool sustained() const { return subject_.point.load == Load::kSustained; }
  double seconds_per_sample() const override;
  /// Marks it as throttled, or not, by what its whole group saw of the device's clock (see Observed::judge).
  void judge_clock(bool any_throttled, double highest_mhz);
  /// Ends the subject from outside, for example when its device ran out of memory before it began.
  void end(Status status, const std::string& reason);

 private:
  bool guarded(const std::function<void()>& work);
  bool predicted_too_long();
  double pilot_seconds(const Instance& part);
  void prepare();
  void stage_operands();
  void take_host_sets();
  void check_exact();
  void warm_up();
  void choose_timing();
  void call(const Operands& operands);
  Backend::Call call_on(std::int64_t set);
  std::uint64_t key() const { return static_cast<std::uint64_t>(index_) + 1; }  ///< for the backend
  double one_call_s(std::int64_t set);
  void settle();
  const std::vector<Backend::Call>& next_calls();
  double device_sample_s();
  double end_to_end_sample_s();
  bool spoilt(const Conditions& conditions);
  void sample(int round);
  void verified_sample(int round);
  void make_ready();
  void check_last();
  void call_anew(std::int64_t set);
  std::optional<EnergyStretch> energy_stretch();
  void sustained_samples(int first_round);
  bool wrong_so_far();
  bool wants_more() const;
  void conclude();
  void enter(const char* phase, double calls = 1);

  int index_;
  int origin_;
  const Subject& subject_;
  const MeasureSettings& settings_;
  Watch& watch_;
  PrecisionStop stop_;
  const SubjectRun* alike_ = nullptr;  ///< whose samples this one's are like; nullptr: it finds its own
  DeviceInputs* inputs_ = nullptr;
  HostSets* host_ = nullptr;  ///< end-to-end only
  std::optional<SubjectChecks> checks_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Session> again_;  ///< what a handicap computes twice; empty without one
  Outcome outcome_;
  double seconds_per_call_ = 0;
  double timed_s_ = 0;
  int retaken_ = 0;           ///< samples thrown away because the clock was held down
  int unbound_in_a_row_ = 0;  ///< samples whose threads were not bound
  std::int64_t next_set_ = 0;
  std::vector<Backend::Call> calls_;
};

}  // namespace gemmlab
