#pragma once

// Compares a time with what the ceilings of the machine allow.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/machine/ceiling.h"
#include "core/records/record.h"

namespace gemmlab::runner {

/// The least time that the measured ceilings allow, and which one binds: "compute", "memory" (the device's
/// own), "l1" to "l3" where the inputs stay in that cache, or "transfer". 0 and "" if unknown.
struct Floor {
  double seconds = 0;
  std::string bound_by;
};

/// The caches that warm inputs may stay in, in bytes; 0 where there is none.
struct CacheSizes {
  std::int64_t cpu_l1 = 0;  ///< one core's
  std::int64_t cpu_l2 = 0;  ///< one core's
  std::int64_t cpu_l3 = 0;
  std::int64_t gpu_l2 = 0;
};

/// Operations over the widest unit's FMA rate against the fewest bytes over the bandwidth of where they lie,
/// for the threads that the point may use; end to end and first calls also against how the operands
/// travel.
Floor floor_of(const Point& point, const std::vector<Ceiling>& ceilings, const CacheSizes& caches);

/// The machine's limits, and what clocks and launches themselves cost.
struct Limits {
  std::vector<Ceiling> ceilings;
  std::vector<Cost> costs;
  Json cores = {{"cores_worth", nullptr}, {"smt_pairs", nullptr}};  ///< fields of the record's `host`
  std::string missing;  ///< why there are none; empty where they were measured
};

Json to_json(const Ceiling& ceiling);
Ceiling ceiling_from(const Json& json);
Json to_json(const Cost& cost);
Cost cost_from(const Json& json);

}  // namespace gemmlab::runner
