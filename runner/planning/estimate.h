#pragma once

// Predicts how long the points of a plan take.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/records/record.h"
#include "core/timing/sampling.h"
#include "runner/definition/definition.h"
#include "runner/recording/store.h"

namespace gemmlab::runner {

/// Seconds of work that stops when it is precise enough.
struct TimeRange {
  double least_s = 0;   ///< precise at the first look
  double likely_s = 0;  ///< with the spread that was seen before
  double most_s = 0;    ///< never precise: up to the limit of time or samples

  TimeRange& operator+=(const TimeRange& other);
};

/// How long points will take, from what was measured before: the same implementation and parameters at the
/// nearest size, else the implementation's other parameters, else a guess by device. What was measured on
/// this machine goes before what was measured elsewhere.
class Estimator {
 public:
  Estimator();
  /// One that knows nothing of any machine, not even of this one: plans are cut by it.
  static Estimator same_everywhere();

  enum class Source { kHere, kElsewhere, kGuess };

  void learn(const std::vector<Measured>& measured, Source source = Source::kHere);
  /// How long a run before took to measure the ceilings; 0: it measured none.
  void learn_ceilings(double seconds, Source source = Source::kHere);

  /// What every run takes besides its groups: the machine's ceilings.
  TimeRange ceilings() const;

  struct PointEstimate {
    TimeRange time;  ///< of the whole point: checks, warm-up, samples
    Source source;
    double call_s;
    double sample_s;
    bool skipped = false;  ///< so long, by what was measured here, that it will not be begun
  };
  PointEstimate point(const Point& point, const MeasureSettings& settings) const;
  /// The cost of a group besides its points: inputs, reference, one A/A twin per device. `estimates` are
  /// those of the `points` that are to be measured.
  TimeRange besides(const Group& group, const std::vector<Point>& points,
                    const std::vector<PointEstimate>& estimates) const;
  /// Of the `points` of a group that are to be measured, and what the group costs besides.
  TimeRange whole(const Group& group, const std::vector<Point>& points) const;

 private:
  struct Pace {
    double median_s = 0;
    double samples_for_unit = 0;
    std::string parameters;
  };
  /// work_of() an instance -> what calls are like.
  using BySize = std::map<double, Pace>;
  /// The times of one implementation. Looked up once per point of a plan of 100,000 points, so never scanned.
  struct OfImplementation {
    std::map<std::pair<Scope, std::string>, BySize> by_parameters;
    std::map<Scope, BySize> by_scope;  ///< whatever the parameters; of several, the first in their order
  };
  using Known = std::map<std::string, OfImplementation>;
  struct Found {
    Source source;
    double call_s;
    double samples_for_unit;  ///< see Measured
  };

  explicit Estimator(std::int64_t host_cache_bytes) : host_cache_bytes_(host_cache_bytes) {}

  std::int64_t cache_bytes(const Point& point) const;
  Sampling sampling_of(const Point& point, double call_s) const;
  /// Making the sets of inputs through which the points rotate, once a device: as much as its cache four times.
  TimeRange inputs(const Group& group, const std::vector<Point>& points) const;
  double sampling_s(double samples, const Point& point, double call_s, const MeasureSettings& settings) const;
  Found find(const Point& point) const;
  /// The nearest size of what is most like the point: another parameter value counts as farther away than any
  /// size, another scope as farther still. nullptr where its implementation was never measured.
  static const BySize::value_type* look_up(const Known& known, const Point& point);

  std::int64_t host_cache_bytes_;
  Known here_;
  Known elsewhere_;
  double ceilings_here_s_ = 0;
  double ceilings_elsewhere_s_ = 0;
};

/// Bytes of host memory that a group needs on the CPU side: input sets, reference, buffers for comparing.
double group_bytes(const Group& group);

}  // namespace gemmlab::runner
