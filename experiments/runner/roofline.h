#pragma once

#include <string>
#include <vector>

#include "core/ceiling.h"
#include "core/record.h"

namespace gemmlab::runner {

/// The least time that the measured ceilings allow, and which one binds: "compute" or "memory". 0 and "" if
/// unknown.
struct Floor {
  double seconds = 0;
  std::string bound_by;
};

/// Operations over the widest unit's FMA rate against the fewest bytes over the read bandwidth (cold inputs
/// only), for the threads that the point may use.
Floor floor_of(const Point& point, const std::vector<Ceiling>& ceilings);

Json to_json(const Ceiling& ceiling);
Ceiling ceiling_from(const Json& json);

}  // namespace gemmlab::runner
