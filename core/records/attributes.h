#pragma once

// THE table of what a point is measured under (Regime): how each attribute is called, where a definition says
// it, and how it is written. Definitions, records, canonical points and the channel to the worker go by it.

#include <string>
#include <vector>

#include "core/records/point.h"

namespace gemmlab {

/// Where a definition may say it: in [settings] and a [[group]], or in a [[group.run]] as well.
enum class Place { kGroup, kRun };

struct Attribute {
  const char* name;
  Place place;
  std::vector<std::string> words;  ///< what it may be; empty: a whole number from 0
  /// How a label tells each of the words where lines differ in it; "": it goes without saying.
  std::vector<std::string> told;
  Json (*get)(const Regime&);  ///< one of the words, or the number
  void (*set)(Regime&, const Json& value);
  /// Whether the attribute means something for the point. Records have null where it does not.
  bool (*concerns)(const Point&);
  /// Whether it is part of the canonical point. Like `concerns`, but regardless of the device.
  bool (*counts)(const Point&);
  /// How it is written in the canonical point, if not by name and value: canonical points must stay as they
  /// were.
  void (*canonical)(Json& point, const Regime&) = nullptr;
  /// Whether calls take different times under different values, so that only points with the same value
  /// predict each other.
  bool paces = false;

  void add_to_canonical(Json& point, const Regime& regime) const;
};

const std::vector<Attribute>& attributes();

}  // namespace gemmlab
