#pragma once

// SHA-256 as in FIPS 180-4.

#include <string>

namespace gemmlab {

/// SHA-256 in lower-case hex.
std::string sha256(const std::string& bytes);

}  // namespace gemmlab
