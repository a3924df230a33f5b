#pragma once

// One call as the commands that other programs use ask for it: parameters as JSON, dimensions and options as words.

#include <string>
#include <vector>

#include "core/implementation.h"

namespace gemmlab::runner {

/// From a JSON object such as {"block": 16}. Throws UsageError.
Parameters parameters_given(const std::string& text);
/// Defaults fill them up. Throws UsageError.
Parameters completed(const Description& description, const Parameters& given);

/// From "--m", "4096", "--alpha", "2"; dimensions that are not named are 1024. Throws UsageError.
Instance asked_instance(const std::vector<std::string>& words, const Operation& operation);

}  // namespace gemmlab::runner
