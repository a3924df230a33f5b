#pragma once

// Reads from a rule how marks are given.

#include "runner/definition/toml_reader.h"
#include "submissions/rule.h"

namespace gemmlab::submissions {

/// The table [grading]; `fallback` is that of the default rule, whose numbers stand for those left out.
/// Throws runner::UsageError.
Grading read_grading(const runner::TomlReader& grading, const runner::TomlReader& fallback);

}  // namespace gemmlab::submissions
