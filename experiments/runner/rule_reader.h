#pragma once

// A rule of submissions from its TOML file: submissions/rules/default.toml explains every key.

#include <string>

#include "experiments/runner/catalogue.h"
#include "submissions/rule.h"

namespace gemmlab::runner {

/// Shapes are written there in the words of the submitted signature, "MxNxK" with N the inner dimension, and
/// converted here. The table [grading] is the report's, and not read. Throws UsageError with file, line, key,
/// value and what is allowed.
submissions::Rule read_rule(const std::string& file, const Catalogue& catalogue);

}  // namespace gemmlab::runner
