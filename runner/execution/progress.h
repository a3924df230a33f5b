#pragma once

// What a person sees while a run goes on.

#include <cstddef>
#include <map>
#include <string>

#include "core/records/record.h"
#include "runner/execution/time_left.h"

namespace gemmlab::runner {

/// "gpu.tiled 16": device and label.
std::string name_of(const Point& point);
/// "2 min 05 s", "350 ms".
std::string duration_text(double seconds);
/// "1.23 ms", "4.56 s".
std::string time_text(double seconds);

/// What a person sees during a run. On a terminal, one line that changes; elsewhere, one plain line per
/// minute. A point gets its own line if it went wrong, and always with `verbose`. Whatever prints throws
/// OutputLost.
class Progress {
 public:
  Progress(std::size_t points, double estimated_s, bool verbose, double plain_each_s = 20);

  void begin_experiment(const std::string& title, std::size_t points);
  /// Called several times per second: the point at work.
  void tick(const Point* point, const char* phase);
  /// Brackets the points of a group: only this time counts for the time left, not that of ceilings and
  /// workers.
  void begin_group(double expected_s);
  void end_group();
  void finished(const Point& point, const Json& record);
  /// The definition leaves the point out.
  void skipped(const Point& point, const std::string& reason);
  void note(const std::string& line);
  /// How many points ended how.
  void end();

 private:
  void line(const Point& point, const std::string& status, const std::string& result);
  std::string state() const;
  void clear();
  void draw(std::string line);

  bool terminal_;
  bool verbose_;
  double plain_each_s_;
  bool drawn_ = false;
  std::size_t total_;
  std::size_t done_ = 0;
  std::map<std::string, std::size_t> by_status_;
  std::string last_;  ///< the last number: "gpu.pipelined 4096: 54,158 GFLOP/s ±0.1 %"
  TimeLeft time_left_;
  double began_s_;
  double told_s_;  ///< when the last plain line was written
};

}  // namespace gemmlab::runner
