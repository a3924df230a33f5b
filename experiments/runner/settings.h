#pragma once

// The keys of [settings], of a [[group]] and, for what a sample covers, of a [[group.run]].

#include <map>
#include <string>
#include <vector>

#include "core/measure.h"
#include "experiments/runner/toml_reader.h"

namespace gemmlab::runner {

/// What holds for a group unless it says otherwise.
struct GroupDefaults {
  MeasureSettings measure;
  Distribution distribution = Distribution::kUniform;
  std::uint64_t seed = 1;
  Scope scope = Scope::kKernel;
  HostMemory host_memory = HostMemory::kPageable;
  Allocation allocation = Allocation::kNotCounted;
  ModuleLoading module_loading = ModuleLoading::kLazy;
  bool cold = true;
};

/// `otherwise`, changed by what the table says. The keys are group_setting_keys().
GroupDefaults read_settings(const TomlReader& reader, GroupDefaults otherwise);
const std::vector<std::string>& group_setting_keys();

/// The same for the keys that say what a sample covers, scope_keys(), which a single [[group.run]] may have
/// too.
GroupDefaults read_scope(const TomlReader& reader, GroupDefaults otherwise);
const std::vector<std::string>& scope_keys();

/// For TomlReader::only: where each key of a definition stands.
const std::map<std::string, std::string>& places_of_keys();

}  // namespace gemmlab::runner
