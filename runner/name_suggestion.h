#pragma once

// Suggests a name for one that was mistyped.

#include <string>
#include <vector>

namespace gemmlab::runner {

/// " (did you mean 'blocked'?)": the first of the `names` that is nearest to an unknown word, or the name
/// whose part behind the dot is that word. Empty where none is near.
std::string guess(const std::string& word, const std::vector<std::string>& names);

/// The `most` names that are nearest to the word, the nearest first.
std::vector<std::string> nearest(const std::string& word, const std::vector<std::string>& names,
                                 std::size_t most);

}  // namespace gemmlab::runner
