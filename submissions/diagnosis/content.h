#pragma once

// Explanations by what C is made of, other than wrong sums: what it held before, NaN, values that differ from
// call to call.

#include <optional>

#include "submissions/diagnosis/facts.h"

namespace gemmlab::submissions {

/// Two calls with the same inputs gave different results.
std::optional<Finding> race_finding(const Facts& facts);
/// Nothing was written at all, or C's old content goes into the result.
std::optional<Finding> old_content_finding(const Facts& facts);
/// Elements that were not written, or NaN or infinite: where sums explain nothing.
std::optional<Finding> left_over_finding(const Facts& facts);

}  // namespace gemmlab::submissions
