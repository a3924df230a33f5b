#pragma once

// What a line is called in tables and figures.

#include <string>
#include <vector>

#include "runner/definition/settings.h"

namespace gemmlab::runner {

/// The run's `label` with its holes filled in; without one "{name}, {varied}". {name} is the implementation's
/// display name, {method} its id without the device, {varied} what sets the point apart from the others of
/// its run and stands nowhere else in the label; any parameter and any of run_keys() is its value. Throws
/// UsageError for another hole, and where nothing is left.
std::string label_of(const TomlReader& run, const Description& description, const VariedPoint& line);

}  // namespace gemmlab::runner
