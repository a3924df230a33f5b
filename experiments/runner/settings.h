#pragma once

// The keys of [settings], of a [[group]] and, for what a sample covers, of a [[group.run]].

#include <map>
#include <string>
#include <vector>

#include "core/measure.h"
#include "core/operations.h"
#include "experiments/runner/toml_reader.h"

namespace gemmlab::runner {

/// What holds for a group unless it says otherwise.
struct GroupDefaults : Regime {
  MeasureSettings measure;
  std::string operation = kDefaultOperation;
};

/// `otherwise`, changed by what the table says. The keys are group_setting_keys().
GroupDefaults read_settings(const TomlReader& reader, GroupDefaults otherwise);
const std::vector<std::string>& group_setting_keys();

/// The same for the attributes (core/attributes.h) that a single [[group.run]] may have too, run_keys().
GroupDefaults read_run(const TomlReader& reader, GroupDefaults otherwise);
const std::vector<std::string>& run_keys();

/// For TomlReader::only: where each key of a definition stands.
const std::map<std::string, std::string>& places_of_keys();

}  // namespace gemmlab::runner
