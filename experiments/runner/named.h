#pragma once

// The implementation that a table of a definition names.

#include <string>
#include <vector>

#include "core/implementation.h"
#include "experiments/runner/toml_reader.h"

namespace gemmlab::runner {

struct Named {
  std::string pattern;    ///< an id, or a device's whole table as "cpu.*"
  Parameters parameters;  ///< that make it what the definition calls it: block 32 of "kernel 3"; mostly none
};

/// The key `implementation`. What others call one (aliases.h) becomes its id, so that no record holds such a
/// name, and `notes` tells it once. Throws UsageError where the name means several.
Named named_in(const TomlReader& where, std::vector<std::string>& notes);

}  // namespace gemmlab::runner
