#pragma once

// The one reader of rules: Python gets what it needs of a rule in the program's answers.

#include <string>

#include "runner/catalogue.h"
#include "submissions/rule.h"

namespace gemmlab::submissions {

/// The rule that holds where none is named.
std::string default_rule();

/// Reads a rule from its TOML file. Shapes are written there in the words of the submitted signature,
/// rows x inner x columns (solve's MxNxK), and converted here. Numbers that [grading] leaves out are those of
/// default_rule(). Throws runner::UsageError with file, line, key, value and what is allowed.
Rule read_rule(const std::string& file, const runner::Catalogue& catalogue);

/// Adds an implementation, written as in a ladder ("gpu.tiled block=32"), to the ladder of its device, where
/// it is not in it yet. Empty: adds none. Throws runner::UsageError for one that there is not.
void add_rung(Rule& rule, const std::string& entry, const runner::Catalogue& catalogue);

}  // namespace gemmlab::submissions
