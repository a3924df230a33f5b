#pragma once

// Sources as far as they matter to what is compiled from them.

#include <string>
#include <vector>

namespace gemmlab::source_hashes {

/// C++ or CUDA without comments, and white space only where it separates: what is compiled alike reads alike,
/// whatever its comments, line breaks, and display names (what follows an `.id`). Directives keep their lines.
std::string code_of(const std::string& source);

/// A CMake file's statements, one each, without comments and with single spaces.
std::vector<std::string> statements_of(const std::string& cmake);

}  // namespace gemmlab::source_hashes
