#pragma once

#include <nlohmann/json.hpp>

#include "submissions/judge/judge.h"

namespace gemmlab::submissions {

/// A judgement as verdict.json holds it; every field is described in submissions/verdict.md.
nlohmann::ordered_json to_json(const Judgement& judgement, const Rule& rule,
                               const Surroundings& surroundings);

}  // namespace gemmlab::submissions
