#pragma once

// How split operands lie in memory.
//
// A panel is 32 rows of A, or 32 columns of B; a step is 32 terms of a panel: 6 tiles one behind another, two
// of the last parts (lo), two of the middle ones, two of the leading ones (hi). The steps of a panel lie
// one behind another, too, and the panels after that. A line of a tile pairs terms 16 apart, in both operands
// alike, so that making it takes no shuffling. Beyond the edges there are zeros.

#include <cstdint>

namespace gemmlab::cpu {

constexpr std::int64_t kPanel = 32;
constexpr std::int64_t kStep = 32;
constexpr std::int64_t kTileBytes = 1024;
constexpr std::int64_t kPartBytes = 2 * kTileBytes;
constexpr std::int64_t kLo = 0;
constexpr std::int64_t kMid = kPartBytes;
constexpr std::int64_t kHi = 2 * kPartBytes;
constexpr std::int64_t kStepBytes = 3 * kPartBytes;

// Of digits a step is 64 terms, in as many bytes: two tiles of the first digits, two of the second, two of the
// third. A word of a tile's line holds four terms, again 16 apart.
constexpr std::int64_t kDigits = 3;
constexpr std::int64_t kDigitStep = 64;

}  // namespace gemmlab::cpu
