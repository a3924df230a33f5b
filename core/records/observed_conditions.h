#pragma once

// Conditions that were seen beside the clock (cores, frequency, power), as case records state them.

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/backend.h"

namespace gemmlab {

/// Calls of a point without a pause, for as long as it takes to tell their energy.
struct EnergyStretch {
  Energy energy;  ///< of a part of the stretch
  double seconds = 0;
  std::int64_t calls = 0;
};

/// The conditions seen during the timed samples of a point: clock and power of the device, or the cores that
/// the threads ran on.
class Observed {
 public:
  void add(const Conditions& conditions);
  /// From now on the energy of the point is that of this stretch, not that of its samples.
  void set_stretch(const EnergyStretch& stretch) { stretch_ = stretch; }
  /// The point's energy was asked for and is not known, and why.
  void set_no_energy(const std::string& reason) { no_energy_ = reason; }
  /// Discards everything: the point is measured again.
  void clear() { *this = Observed(); }

  int threads_ran() const { return threads_ran_; }  ///< in the last sample; 0 where unknown

  /// The highest clock of all readings; 0 where there is none.
  double highest_mhz() const;
  /// Did more of the readings than chance would explain report a clock that was held down?
  bool saw_throttling() const;
  /// Decides for a whole group, so that both sides of a comparison are marked or neither: if `any` of the
  /// group was throttled, every point whose own clock fell below the group's `highest_mhz` is marked.
  void judge(bool any, double highest_mhz);
  bool throttled() const { return throttled_.value_or(false); }  ///< as judge() has decided
  /// The clock was to be held down as far as power and temperature ask for: that is no fault of the point.
  void accept_clock() { clock_accepted_ = true; }

  /// Why threads ran that were not bound to cores, and in how many samples; empty where all were bound.
  std::string why_unbound() const;

  /// Adds `cores`, `pinned`, `clock_mhz`, ... to a record: null where the device does not report them.
  /// `median_s` is the time per call, 0 if nothing was timed.
  void write_to(nlohmann::ordered_json& record, double median_s) const;

 private:
  void add_reading(const Reading& reading);
  void write_clock(nlohmann::ordered_json& record) const;
  void write_energy(nlohmann::ordered_json& record, double median_s) const;
  bool dipped(double mhz) const;

  std::vector<double> clocks_mhz_;
  std::vector<double> powers_w_;
  double hottest_c_ = -1;
  int told_throttle_ = 0;  ///< readings in which the card told whether its clock was held down
  int held_down_ = 0;      ///< of them, those in which it was
  std::optional<bool> throttled_;
  bool clock_accepted_ = false;
  double group_highest_mhz_ = 0;
  std::map<std::string, Energy> energy_;  ///< of samples, by its source
  std::optional<EnergyStretch> stretch_;
  std::string no_energy_;
  std::vector<std::string> reasons_;
  int threads_ran_ = 0;
  std::vector<int> cores_;
  int told_pinned_ = 0;  ///< samples that told whether their threads were bound
  int unbound_ = 0;      ///< of them, those whose threads were not
  std::string why_unbound_;
  std::optional<bool> denormals_flushed_;
  std::optional<double> run_queue_delay_s_;  ///< a thread's share
  std::optional<double> steal_s_;
};

}  // namespace gemmlab
