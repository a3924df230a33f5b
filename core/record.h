#pragma once

// Lines of a results file. Field names and meaning: data/README.md.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/backend.h"
#include "core/implementation.h"
#include "core/inputs.h"
#include "core/shape.h"
#include "core/statistics.h"
#include "core/verify.h"

namespace gemmlab {

using Json = nlohmann::ordered_json;
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

/// What is measured: one implementation with its parameters at one shape under one regime. Hashed into the
/// case_id.
struct Point {
  std::string implementation;
  Parameters parameters;  ///< complete
  std::string label;
  std::string group;  ///< of the definition: the same point in another group is compared with others, so it
                      ///< counts apart
  Shape shape;
  Scope scope = Scope::kKernel;
  bool cold = true;  ///< inputs rotate past the last-level cache
  Distribution distribution = Distribution::kUniform;
  std::uint64_t seed = 1;

  /// The canonical point: keys sorted, the same text everywhere.
  Json canonical() const;
  /// First 16 hex digits of the SHA-256 of canonical().
  std::string case_id() const;
};

/// How a point ended; with the point it makes a `case` record.
struct Outcome {
  Status status = Status::kFailed;
  std::string reason;
  Precision precision = Precision::kFp32;  ///< what the implementation declares
  Timing timing = Timing::kLaunch;
  std::int64_t calls_per_sample = 1;  ///< samples are seconds a call, whatever this is
  std::int64_t input_sets = 1;
  std::vector<double> samples_s;
  std::vector<int> rounds;  ///< parallel to samples_s
  std::string stop_reason;  ///< "precision", "limit", "long call", "rounds"
  std::vector<Check> checks;
  int threads_actual = 0;
  Facts chosen;
  Facts resources;
  std::map<std::string, double> phases_s;  ///< prepare, pilot, verify, warm_up
  std::vector<std::string> warnings;
};

/// The `case` record. `ceiling_s` is the least time that the measured ceilings allow this point (0: unknown)
/// and `bound_by` which of them, "compute" or "memory".
Json case_record(const std::string& run_id, const std::string& experiment, const std::string& group,
                 const Point& point, const Outcome& outcome, double ceiling_s, const std::string& bound_by);

Json to_json(const Parameters& parameters);
Json to_json(const Facts& facts);
Json to_json(const Check& check);

/// SHA-256 in lower-case hex.
std::string sha256(const std::string& bytes);

/// "2026-11-20T23:59:01Z".
std::string utc_now();

}  // namespace gemmlab
