#pragma once

// One call as the commands that other programs use ask for it: parameters as JSON, dimensions and options as words.

#include <string>
#include <vector>

#include "core/implementation.h"

namespace gemmlab::runner {

/// From a JSON object such as {"block": 16}; defaults fill it up. Throws UsageError.
Parameters complete_from(const std::string& text, const Description& description);

/// From "--m", "4096", "--alpha", "2"; dimensions that are not named are 1024. Throws UsageError.
Instance asked_instance(const std::vector<std::string>& words, const Operation& operation);

}  // namespace gemmlab::runner
