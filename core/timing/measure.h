#pragma once

// One group: everything compared on one instance of an operation, checked, then timed in interleaved rounds.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/backend.h"
#include "core/implementation.h"
#include "core/records/record.h"
#include "core/verification/verify.h"

namespace gemmlab {

struct MeasureSettings {
  double precision =
      0.0075;               ///< relative half-width of the 95 % interval of the median at which a point stops
  double min_time_s = 0.3;  ///< timed work that a point gets at least
  double max_time_s =
      20;  ///< timed work after which a point stops whatever its precision; longer calls are skipped
  double timeout_s = 120;  ///< a single call that takes longer has hung
  double energy_s = 0;     ///< calls without a pause after its samples, to tell their energy; 0: none
  double sustained_s = 5;  ///< calls without a pause at Load::kSustained, of which the second half counts
  std::uint64_t shuffle_seed = 1;
  int first_round = 0;       ///< where rounds count from: a replaced worker must not use a number twice
  bool verify_only = false;  ///< `check`: one verified call, nothing timed
  bool twins = true;         ///< an A/A twin for one point of each device
};

/// A watcher outside learns here what runs now and until when it may take.
class Watch {
 public:
  virtual ~Watch() = default;
  /// Entry `index` (-1: none in particular) enters `phase`, which ends within `limit_s` unless something is
  /// wrong.
  virtual void enter(int index, const char* phase, double limit_s) = 0;
};

struct Subject {
  const Implementation* implementation = nullptr;
  Backend* backend = nullptr;
  Point point;  ///< all subjects of a group share instance, distribution, seed and cache
};

/// The cost of a group besides its subjects.
struct GroupCost {
  double inputs_s = 0;
  double reference_s = 0;
};

/// Measures every subject and hands over each outcome as soon as it is final (a GPU's at the group's end,
/// when it is known which of them found the clock held down): `index` counts the subjects, and `point` is
/// that subject's, or its twin's (twin_of is set). Nothing is thrown for what one subject does wrong: that is
/// its outcome.
///
/// What bears Load::kSustained is measured last, one subject after the other: it shares no round with any, has
/// no twin, and a clock that is held down under it is what it is to show.
///
/// Twins: one subject of each device, chosen by the shape among those whose samples are short, is measured
/// twice in the same rounds, under two labels, by two sessions of the same code. How far the two lie apart is
/// what any difference between two points of this group has to exceed. A twin is handed over before its
/// point, so that a point that is recorded lacks nothing.
using Done = std::function<void(int index, const Point& point, const Outcome& outcome)>;
GroupCost measure_group(const std::vector<Subject>& subjects, const MeasureSettings& settings,
                        const DoubleProduct& product, Watch& watch, const Done& done);

}  // namespace gemmlab
