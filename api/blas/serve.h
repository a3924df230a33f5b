#pragma once

// What every function of this library does: answers, or passes on, and notes who did.

#include <functional>

#include "api/blas/call.h"

namespace gemmlab::blas {

/// `pass_on` calls the next library. A call from within it is passed on, too: libraries call each other's functions.
void serve(const Call& call, const std::function<void()>& pass_on);

}  // namespace gemmlab::blas
