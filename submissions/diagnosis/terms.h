#pragma once

// Explanations by the wrong terms: sums over the inner dimension that leave some out or count some twice.

#include <vector>

#include "submissions/diagnosis/facts.h"

namespace gemmlab::submissions {

/// Steps are told apart by how the other shapes ended.
std::vector<Finding> term_findings(const Facts& facts, const std::vector<ShapeOutcome>& outcomes);

}  // namespace gemmlab::submissions
