#pragma once

// What other programs take of the processors while submissions are timed.

#include <string>
#include <vector>

namespace gemmlab::submissions {

/// Seconds that all processors together have worked since the system started, from the text of /proc/stat: also for
/// other virtual machines on the same host (steal). 0 where it says nothing.
double worked_s(const std::string& proc_stat, double ticks_per_s);

/// Seconds of processor time in the text of /proc/PID/stat, of all its threads; the process' name in it may be anything.
double taken_s(const std::string& pid_stat, double ticks_per_s);

/// From begin() to end(), as often as one likes: processor time that was neither this process' nor that of the processes
/// named. They must live from begin() to end(), or their time counts as that of others.
class OthersLoad {
 public:
  void begin(const std::vector<int>& ours);
  void end(const std::vector<int>& ours);
  /// Processors that others kept at work on average.
  double processors() const { return wall_s_ > 0 ? others_s_ / wall_s_ : 0; }

 private:
  double began_s_ = 0;   ///< by the clock
  double before_s_ = 0;  ///< of others
  double others_s_ = 0;
  double wall_s_ = 0;
};

}  // namespace gemmlab::submissions
