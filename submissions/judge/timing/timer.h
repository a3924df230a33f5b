#pragma once

// Times a submission beside the suite's ladder and a library. All are called by the same steps, each in its
// own process, in the rounds of the suite's engine (core/timing/rounds.h), with new inputs and a new order in every
// round. A process is stopped while it is not its turn. A second process of the submission, its twin,
// measures how far the same code differs from itself: the noise floor.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/statistics.h"
#include "operations/gemm/reference.h"
#include "submissions/judge/failures/failure.h"
#include "submissions/judge/inputs/secret.h"
#include "submissions/judge/processes/callee_process.h"
#include "submissions/rule.h"

namespace gemmlab::submissions {

/// One bar of the page's figure.
struct Timing {
  Shape shape;
  std::string name;   ///< "submission", or as the rule has it: "gpu.tiled block=32"
  std::string label;  ///< "submission", or in words: "tiled, block 32"
  std::string role;   ///< kSubmission, kLadder, kLibrary
  std::string id;     ///< of the implementation; empty for the submission
  std::vector<double> samples_s;
  std::vector<int> rounds;       ///< parallel
  std::vector<double> events_s;  ///< GPU, parallel: by the card's events, which a submission could forge
  std::vector<double>
      waited_s;            ///< CPU, parallel: that its threads, or the judge, had to wait for a processor
  std::string skipped;     ///< why there are none
  std::string uncounted;   ///< the submission's: why no mark may hang on these times; empty: it may
  double clock_s = 0;      ///< how uncertain what was taken off each sample for the clock is
  double taken_off_s = 0;  ///< GPU: that, and the same before any submission had run
  double taken_off_at_start_s = 0;
  /// CPU, beside a library: do only those rounds count in which neither of the two waited? Else those were too few.
  std::optional<bool> quiet;
  int quiet_rounds = 0;      ///< in which neither waited
  bool waits_alone = false;  ///< the submission's: it waits in rounds in which the library does not
  double alone_s = 0;        ///< the library's on a GPU, before any submission had started; 0: unknown
  double of_library = 0;     ///< the library's time over this one's, median of the rounds; 0: unknown
  std::optional<Interval> of_library_ci95;
  double of_library_low = 0;  ///< the least and the most that the rounds support; 0: unknown
  double of_library_high = 0;
  std::optional<bool>
      settled;  ///< the submission's: is that interval narrow enough? Empty where nothing hangs on it
};

inline constexpr const char* kSubmission = "submission";
inline constexpr const char* kTwin = "twin";  ///< the submission once more; not among the timings
inline constexpr const char* kLadder = "ladder";
inline constexpr const char* kLibrary = "library";

struct TimingResult {
  std::vector<Timing> timings;
  std::vector<Failure> failures;   ///< of the submission; the first ends the timing
  std::vector<Failure> imprecise;  ///< reduced precision, which does not
  std::vector<std::string> notes;
  std::vector<std::string> opened;
  Shape first_shape;
  double first_s = 0;            ///< the first call in a fresh process
  std::string resources = "[]";  ///< GPU: the launches at the last shape, as JSON
  double threads_busy = 0;       ///< CPU: processors that worked, on average, at the largest shape
  double beside_kernel =
      0;  ///< GPU: share of a call's time by the host's clock that the device was not at work
  std::optional<double>
      noise_floor;      ///< 0.004 for 0.4 %, as records/noise.py defines it; empty without a twin
  double others = 0;    ///< processors that other programs kept at work meanwhile
  bool busy = false;    ///< that is more than the rule allows
  bool raised = false;  ///< timed at a real-time priority
};

/// A participant that is timed.
struct Racer {
  std::string name;
  std::string label;
  std::string role;
  CalleeSetup setup;
};

/// Times all racers, the submission first in the list where there is one, at the rule's shapes of its device. A shape at
/// which the submission's share of the library's speed is not settled is measured again, as often as the rule says.
/// `seed`: of the order in which they take turns. `ladder`: timed before, whose speeds marks may hang on.
TimingResult time_submission(std::vector<Racer> racers, const DeviceRule& device, const Rule& rule,
                             const DoubleProduct& product, const Secret& secret, std::uint64_t seed,
                             const std::vector<Timing>& ladder = {});

}  // namespace gemmlab::submissions
