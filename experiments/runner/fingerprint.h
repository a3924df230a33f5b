#pragma once

#include <string>

namespace gemmlab::runner {

/// A hash of what a point's record depends on in this program: the code that measures and checks, the
/// implementation's own sources and what they include, the compiler and its flags. 16 hex digits. An
/// implementation outside cpu/*/rows.h and gpu/*/rows.h, as in a test, gets the hash of all sources.
std::string point_fingerprint(const std::string& implementation);

}  // namespace gemmlab::runner
