#pragma once

// THE table of what a point is measured under (Regime): how each attribute is called, where a definition says
// it, and how it is written. Definitions, records, canonical points and the channel to the worker go by it.

#include <string>
#include <vector>

#include "core/point.h"

namespace gemmlab {

/// Where a definition may say it: in [settings] and a [[group]], or in a [[group.run]] as well.
enum class Place { kGroup, kRun };

struct Attribute {
  const char* name;
  Place place;
  std::vector<std::string> words;  ///< what it may be; empty: a whole number from 0
  Json (*get)(const Regime&);      ///< one of the words, or the number
  void (*set)(Regime&, const Json& value);
  /// Has it a meaning for the point? Records have null where it has none.
  bool (*concerns)(const Point&);
  /// Does it count in the canonical point? As `concerns`, but whatever the device.
  bool (*counts)(const Point&);
  /// How it is written there, where not as its name and value: canonical points stay what they were.
  void (*canonical)(Json& point, const Regime&) = nullptr;
  /// Is how long a call takes told by points that have the same value only?
  bool paces = false;

  void add_to_canonical(Json& point, const Regime& regime) const;
};

const std::vector<Attribute>& attributes();

}  // namespace gemmlab
