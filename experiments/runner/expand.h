#pragma once

// From one [[group]] of a definition to its points.

#include "experiments/runner/definition.h"
#include "experiments/runner/toml_reader.h"

namespace gemmlab::runner {

/// What holds for a group unless it says otherwise.
struct GroupDefaults {
  MeasureSettings measure;
  Distribution distribution = Distribution::kUniform;
  std::uint64_t seed = 1;
  Scope scope = Scope::kKernel;
  bool cold = true;
};

/// `otherwise`, changed by what the table says. The keys are group_setting_keys().
GroupDefaults read_settings(const TomlReader& reader, GroupDefaults otherwise);
const std::vector<std::string>& group_setting_keys();

/// Adds a group's points, exclusions and what is left out to the definition.
void expand_group(const TomlReader& group, const GroupDefaults& defaults, const Catalogue& catalogue,
                  Definition& definition);

}  // namespace gemmlab::runner
