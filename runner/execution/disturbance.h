#pragma once

// Tells, once a run is over, how much of it other programs disturbed.

#include <cstddef>
#include <string>

#include "core/records/record.h"

namespace gemmlab::runner {

/// Did other work take the cores of a `case` record's point for more than 5 % of its timed seconds, on a
/// machine with so many cores? The rule is the report's own: Case.disturbed in records/cases/case.py, to which a
/// test holds it.
bool disturbed(const Json& record, int cores);

/// How many of a run's points other work disturbed.
class Disturbance {
 public:
  explicit Disturbance(int cores) : cores_(cores) {}
  /// Takes in a `case` record; only one with the status ok counts.
  void add(const Json& record);
  /// "3 of 23 points: other work took …"; empty where no point was disturbed. `folder` holds the records.
  std::string text(const std::string& folder) const;

 private:
  int cores_;
  std::size_t points_ = 0;
  std::size_t disturbed_ = 0;
};

}  // namespace gemmlab::runner
