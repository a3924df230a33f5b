#pragma once

// From one [[group]] of a definition to its points.

#include "experiments/runner/definition.h"
#include "experiments/runner/settings.h"

namespace gemmlab::runner {

/// Adds a group's points, exclusions and what is left out to the definition.
void expand_group(const TomlReader& group, const GroupDefaults& defaults, const Catalogue& catalogue,
                  Definition& definition);

}  // namespace gemmlab::runner
