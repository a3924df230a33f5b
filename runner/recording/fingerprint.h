#pragma once

// Tells whether a recorded point was measured with the code of this program.

#include <string>

#include "core/records/record.h"

namespace gemmlab::runner {

/// A hash of what a point's record depends on in this program: the code that measures and checks, the
/// implementation's own sources and what they include, the compiler and its flags. 16 hex digits. An
/// implementation outside cpu/*/rows.txt and gpu/*/rows.txt, as in a test, gets the hash of all sources.
std::string point_fingerprint(const std::string& implementation);

/// Implementation -> what its fingerprint would be if this program were built so: `build` is that of a run
/// line. Where a record has another, its sources or what measures have changed, whatever builds this program.
/// An implementation is left out where the build does not say all that it depends on.
Json fingerprints(const Json& build);

}  // namespace gemmlab::runner
