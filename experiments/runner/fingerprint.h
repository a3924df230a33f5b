#pragma once

#include <string>

namespace gemmlab::runner {

/// What a point's record depends on of this program: what measures and checks, the implementation's own
/// sources with what they stand on, and the compiler and its flags. 16 hex digits. An implementation that is
/// none of cpu/rows.h and gpu/rows.h, as of a test, has the hash of all sources.
std::string point_fingerprint(const std::string& implementation);

}  // namespace gemmlab::runner
