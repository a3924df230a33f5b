#pragma once

// Writes a verdict as JSON.

#include "submissions/judge/timings_json.h"

namespace gemmlab::submissions {

/// Of a rule and of a verdict: type, result, inner, alpha_beta.
nlohmann::ordered_json to_json(const SolveForm& form);

/// A verdict as submissions/verdict.md explains it, less what the driver adds of the circumstances.
nlohmann::ordered_json to_json(const Judgement& judgement, const Surroundings& surroundings);

}  // namespace gemmlab::submissions
