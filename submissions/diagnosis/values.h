#pragma once

// Explanations by values: zeros, constants, factors, right values in wrong places, answers of other calls.

#include <optional>
#include <vector>

#include "submissions/diagnosis/facts.h"

namespace gemmlab::submissions {

std::vector<Finding> value_findings(const Facts& facts);

/// C holds the answer to the call before, or what calls before left behind; looked for ahead of all else. So
/// many elements must tell that chance is no explanation, since the first is an accusation.
std::optional<Finding> memory_finding(const Facts& facts);

}  // namespace gemmlab::submissions
