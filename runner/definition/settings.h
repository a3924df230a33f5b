#pragma once

// The keys of [settings], of a [[group]] and, for what a sample covers, of a [[group.run]].

#include <map>
#include <string>
#include <vector>

#include "core/operations.h"
#include "core/records/point.h"
#include "core/timing/measure.h"
#include "runner/definition/toml_reader.h"

namespace gemmlab::runner {

/// What sets a point apart from the others of its run.
struct Varied {
  std::string key;   ///< an attribute or a parameter
  std::string told;  ///< its value in a label: "block 4", "end to end"; may be empty
};

struct VariedPoint {
  Point point;
  std::vector<Varied> varied;
};

/// What holds for a group unless it says otherwise.
struct GroupDefaults : Regime {
  MeasureSettings measure;
  std::string operation = kDefaultOperation;
};

/// `otherwise`, changed by what the table says. The keys are group_setting_keys().
GroupDefaults read_settings(const TomlReader& reader, GroupDefaults otherwise);
const std::vector<std::string>& group_setting_keys();

/// The line under each regime that a [[group.run]] asks for by the attributes (core/records/attributes.h) that it may
/// have too, run_keys(). Lists are crossed, and `varied` tells which of the values it is; a list that means
/// nothing for the line leaves it as it is.
std::vector<VariedPoint> read_run(const TomlReader& run, const Point& line);
const std::vector<std::string>& run_keys();

/// For TomlReader::only: where each key of a definition stands.
const std::map<std::string, std::string>& places_of_keys();

}  // namespace gemmlab::runner
