#pragma once

// Notes which kernels a call of a hand-in launches.

#include <string>

#include "submissions/callee/callee.h"

namespace gemmlab::submissions {

/// The launches noted from here on are those of the call to come.
void forget_launches(Callable& callable);

/// The kernels of the last call, at most four, each once, as JSON: grid, block, registers, shared memory,
/// occupancy. "[]" where nothing was noted.
std::string launches_of(Callable& callable);

}  // namespace gemmlab::submissions
