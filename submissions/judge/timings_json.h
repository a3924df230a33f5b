#pragma once

// Writes times as JSON, and reads those of a class back.

#include <nlohmann/json.hpp>

#include "submissions/judge/judge.h"

namespace gemmlab::submissions {

/// {"M": ..., "N": ..., "K": ...}: rows, inner, columns, as solve calls them.
nlohmann::ordered_json shape_json(const Shape& shape);

/// Timings as rows of `performance`, and back; what only the submission's own rows hold does not come back.
nlohmann::ordered_json timings_json(const std::vector<Timing>& timings, const Device& device,
                                    const Surroundings& surroundings);
std::vector<Timing> timings_from(const nlohmann::ordered_json& rows);

/// What others took of the processors meanwhile.
nlohmann::ordered_json load_json(const TimingResult& timing);

}  // namespace gemmlab::submissions
