#pragma once

// Lines of a results file. Field names and meaning: docs/record_format.md.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/implementation.h"
#include "core/records/observed_conditions.h"
#include "core/records/point.h"
#include "core/statistics.h"
#include "core/verification/verify.h"

namespace gemmlab {

inline constexpr int kSchema = 1;
inline constexpr std::size_t kMostSamplesKept = 1000;

enum class Status {
  kOk,
  kIncorrect,
  kReducedPrecision,
  kSkipped,
  kUnsupported,
  kOutOfMemory,
  kTimeout,
  kCrashed,
  kFailed
};
const char* to_string(Status status);  // "ok", "incorrect", "reduced-precision", "skipped", ...

/// The status that the checks give a point that declares `precision`: reduced precision is no fault of a
/// point that declares it, and uncertified is ok. The caller gives the reason.
Status status_of(const std::vector<Check>& checks, Precision precision);

/// The first multiplication of a fresh process: the time of each part, in order, and of a call in the steady
/// state.
struct FirstCall {
  std::vector<std::pair<std::string, double>> phases_s;
  double steady_s = 0;

  double total_s() const;
};

/// How a point ended; with the point it makes a `case` record.
struct Outcome {
  Status status = Status::kFailed;
  std::string reason;
  Timing timing = Timing::kLaunch;
  std::int64_t calls_per_sample = 1;  ///< samples are always seconds per call
  std::int64_t input_sets = 1;
  std::vector<double> samples_s;
  std::vector<int> rounds;  ///< parallel to samples_s
  std::string stop_reason;  ///< "precision", "limit", "long call", "rounds", "sustained"
  double sustained_s = 0;   ///< of calls without a pause, whose second half the samples are; 0 for a burst
  std::vector<Check> checks;
  int threads_actual = 0;  ///< what the implementation says; Observed knows what ran
  double moved_bytes = 0;  ///< Implementation::moved_bytes; 0: unknown
  Facts chosen;
  Facts resources;
  Observed observed;
  bool remeasured = false;  ///< samples were thrown away and taken again, because the clock was held down
  std::map<std::string, double> phases_s;  ///< prepare, pilot, verify, warm_up, settle, timed
  std::vector<FirstCall> first_calls;      ///< parallel to samples_s; empty for other scopes
  std::vector<std::string> warnings;
};

/// The `case` record. `ceiling_s` is the least time that the measured ceilings allow this point (0: unknown)
/// and `bound_by` which of them: "compute", "memory", or for inputs that stay in a cache its level, "l1" to
/// "l3".
Json case_record(const std::string& run_id, const std::string& experiment, const Point& point,
                 const Outcome& outcome, double ceiling_s, const std::string& bound_by);

/// Name, title, dimensions, options and rates with their units: what readers of records need to know.
Json operation_json(const Operation& operation);

Json to_json(const Facts& facts);
Json to_json(const Check& check);

/// In one line, or indented. What a library, a crash or the environment says need not be UTF-8: other bytes
/// become U+FFFD.
std::string to_text(const Json& json, int indent = -1);

/// "2026-11-20T23:59:01Z".
std::string utc_now();

}  // namespace gemmlab
