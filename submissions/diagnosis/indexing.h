#pragma once

// Explanations by the wrong place: dimensions mistaken for each other, matrices read or written transposed.

#include <vector>

#include "submissions/diagnosis/facts.h"

namespace gemmlab::submissions {

/// All that fit, the least far-fetched first; at most 16.
std::vector<Finding> indexing_findings(const Facts& facts);

}  // namespace gemmlab::submissions
