#pragma once

// The seals of a window's calls once more, by the judge: does a C that was brought fit the seal that came in time?

#include <cstdint>

#include "submissions/seal.h"

namespace gemmlab::submissions {

/// As the card makes it in callee/device_work.cu. `previous`: of the call before; zeros for the first.
Seal seal_of(const float* c, std::int64_t count, const WindowKey& key, const Seal& previous);

}  // namespace gemmlab::submissions
