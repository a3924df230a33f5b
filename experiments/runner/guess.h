#pragma once

#include <string>
#include <vector>

namespace gemmlab::runner {

/// " (did you mean 'blocked'?)": the first of the `names` nearest to a word that is none of them, or the one
/// whose part behind the dot it is. Empty where none is near.
std::string guess(const std::string& word, const std::vector<std::string>& names);

}  // namespace gemmlab::runner
