#pragma once

#include <vector>

#include "core/implementation.h"

namespace gemmlab::gpu {

/// What a card did in the last product, by its own clock.
struct CardTimes {
  double whole_s = 0;
  double multiplying_s = 0;
  double arriving_s = 0;  ///< until the last of its operands was there
};

/// The means of all cards: share_not_multiplying, share_arriving. Nothing where an emulated clock stands.
void add_times(const std::vector<CardTimes>& cards, Facts& facts);

}  // namespace gemmlab::gpu
