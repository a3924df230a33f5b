#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/backend.h"

namespace gemmlab {

/// What a point's timed samples saw of their device: its clock and power, or the cores that they ran on.
class Observed {
 public:
  void add(const Conditions& conditions);
  /// Forgets all: the point is measured again.
  void clear() { *this = Observed(); }

  int threads_ran() const { return threads_ran_; }  ///< in the last sample; 0 where unknown
  /// Was the clock held down during more of the samples that tell than chance would explain?
  bool throttled() const;

  /// Adds `cores`, `pinned`, `clock_mhz`, ... to a record: null where the device does not tell.
  void write_to(nlohmann::ordered_json& record) const;

 private:
  std::vector<double> clocks_mhz_;
  std::vector<double> powers_w_;
  double hottest_c_ = -1;
  int told_throttle_ = 0;  ///< samples in which the card told whether its clock was held down
  int throttled_ = 0;      ///< of them, those in which it was held down
  std::vector<std::string> reasons_;
  int threads_ran_ = 0;
  std::vector<int> cores_;
  std::optional<bool> pinned_;
  std::optional<bool> denormals_flushed_;
  std::optional<double> run_queue_delay_s_;  ///< a thread's share
  std::optional<double> steal_s_;
};

}  // namespace gemmlab
