#pragma once

// Where in C a set of elements lies, in words: the last row, edges beyond whole tiles, stripes, tiles.

#include <string>

#include "submissions/diagnosis/facts.h"

namespace gemmlab::submissions {

struct Region {
  std::string pattern;  ///< "" for all of C, and for scattered elements
  std::string phrase;   ///< what follows "in"
  std::string hint;     ///< where to look; "" where there is nothing to say
};

/// `mask` has an entry for each element of C, at least one of them set.
Region region_of(const Mask& mask, const Shape& shape);

}  // namespace gemmlab::submissions
