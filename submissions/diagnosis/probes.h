#pragma once

// Explanations by probes: calls whose A and B are made so that C says which terms it has summed, and where each came from.

#include <functional>
#include <optional>

#include "submissions/diagnosis/diagnosis.h"

namespace gemmlab::submissions {

/// One call with these A and B, row-major; C as it left it. Empty where it left none.
using ProbeCall = std::function<std::optional<std::vector<float>>(const std::vector<float>& a,
                                                                  const std::vector<float>& b)>;

/// How often each term of the inner dimension is counted in the wrong elements of C, by calls at `shape`; empty where they do not agree
/// on it, or where all terms are counted once. As many terms are told apart in a call as the types have digits for.
std::optional<Diagnosis> counted_terms(const Shape& shape, const ProbeCall& call,
                                       const GemmTypes& types = {});

/// Which rows and columns of the product stand in C; empty where all are in their places, or where C tells nothing of it.
std::optional<Diagnosis> places_of_sums(const Shape& shape, const ProbeCall& call);

/// Which elements of A and B are multiplied; empty as above.
std::optional<Diagnosis> places_of_terms(const Shape& shape, const ProbeCall& call);

}  // namespace gemmlab::submissions
