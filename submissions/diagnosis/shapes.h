#pragma once

// Which shapes are right and which are wrong, in words.

#include <string>
#include <vector>

#include "submissions/diagnosis/diagnosis.h"

namespace gemmlab::submissions {

struct ShapePattern {
  std::string pattern;  ///< "" where nothing separates right from wrong
  std::string
      clause;  ///< how a sentence begins: "Right for every square (12 shapes), wrong for all 9 others"
  std::string hint;
};

ShapePattern shape_pattern(const std::vector<ShapeOutcome>& outcomes);

}  // namespace gemmlab::submissions
