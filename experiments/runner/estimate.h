#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/record.h"
#include "experiments/runner/definition.h"
#include "experiments/runner/store.h"

namespace gemmlab::runner {

/// How long points will take, from what was measured before: the same implementation and parameters at the
/// nearest size, else the implementation's other parameters, else a guess by device.
class Estimator {
 public:
  void learn(const std::vector<Measured>& measured);
  void learn(const Point& point, double median_s);

  /// Seconds of one call.
  double call_s(const Point& point) const;
  /// Seconds of the whole point: checks, warm-up, samples.
  double point_s(const Point& point, const MeasureSettings& settings) const;
  /// A group's fixed part: inputs and the reference product.
  static double group_s(const Shape& shape);

 private:
  /// Of one implementation with the same scope and parameters: flop -> seconds of a call.
  using BySize = std::map<double, double>;
  void learn(const std::string& implementation, const Json& parameters, Scope scope, double flop,
             double median_s);

  /// implementation -> (scope, parameters) -> what is known. Looked up once a point of a plan of 100,000.
  std::map<std::string, std::map<std::pair<Scope, std::string>, BySize>> known_;
};

/// Bytes of host memory that a group needs on the CPU side: input sets, reference, buffers for comparing.
double group_bytes(const Group& group);

}  // namespace gemmlab::runner
