#pragma once

// The operation barrier: what a barrier among a block's or all cores' threads costs.

#include "operations/described_operation.h"

namespace gemmlab {

const Operation& barrier();

namespace waiting {

enum Place : std::size_t { kGiven, kReceived };  ///< of the operands

/// Barriers after which the threads pass their numbers on once more.
inline constexpr int kStretch = 256;

}  // namespace waiting
}  // namespace gemmlab
