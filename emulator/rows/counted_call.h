#pragma once

// What one call of a kernel asks of a card, counted while it is emulated.

#include <cstdint>
#include <string>

#include "core/implementation.h"

namespace gemmlab::emulation {

/// One call of `row` on operands without content, of which nothing is read back: the emulator's report with its counts
/// and the lines of gpu/'s own files, as JSON (see exports.h). `blocks`: of each grid at most so many are run, spread over
/// it; 0: all. Throws what the call throws, and std::runtime_error where the emulator ended it.
std::string counted_call(const Implementation& row, const Instance& instance, const Parameters& parameters,
                         std::uint64_t blocks);

}  // namespace gemmlab::emulation
