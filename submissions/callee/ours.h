#pragma once

// Lets the judge call implementations of the suite as it calls hand-ins.

#include <memory>
#include <string>

#include "core/implementation.h"
#include "submissions/callee/callee.h"

namespace gemmlab::submissions {

/// An implementation of the suite as a callable, with `parameters` as JSON.
std::unique_ptr<Callable> make_ours(const Implementation& implementation, const std::string& parameters);

}  // namespace gemmlab::submissions
