#pragma once

// JSON that somebody else wrote: a file, an argument, a report of a hand-in's process.

#include <string_view>

#include "core/records/point.h"

namespace gemmlab {

inline constexpr int kMostJsonNesting = 64;  ///< of lists and objects; a record of ours has 6

/// Does the text open more lists and objects within one another than are allowed?
bool nested_too_deep(std::string_view text);

/// The value; discarded where the text is no JSON or nested_too_deep: whoever copies, compares or prints such a value
/// calls itself once a level, until the stack ends.
Json read_json(std::string_view text);

}  // namespace gemmlab
