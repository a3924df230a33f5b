#pragma once

#include <nlohmann/json.hpp>

#include "submissions/judge/judge.h"

namespace gemmlab::submissions {

/// {"M": ..., "N": ..., "K": ...} in the words of the submitted signature: N is the inner dimension.
nlohmann::ordered_json shape_json(const Shape& shape);

/// A verdict as submissions/verdict.md explains it, less what the driver adds of the circumstances.
nlohmann::ordered_json to_json(const Judgement& judgement, const Surroundings& surroundings);

}  // namespace gemmlab::submissions
