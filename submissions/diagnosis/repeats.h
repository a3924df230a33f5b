#pragma once

// Regions that repeat: every few rows, every few columns, whole tiles.

#include <optional>

#include "submissions/diagnosis/regions.h"

namespace gemmlab::submissions {

std::optional<Region> stripes_of(const Mask& mask, std::int64_t rows, std::int64_t cols);
std::optional<Region> tiles_of(const Mask& mask, std::int64_t rows, std::int64_t cols);

}  // namespace gemmlab::submissions
