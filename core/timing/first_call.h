#pragma once

// What the first multiplication of a fresh process costs, part by part. The caller starts the process.

#include <functional>
#include <memory>

#include "core/backend.h"
#include "core/records/point.h"
#include "core/records/record.h"

namespace gemmlab {

/// Runs the point once from nothing: `make_backend` (on a GPU: the context), memory, A and B in, prepare, the
/// kernel's code, the multiplication, C out; then until it is steady. The outcome holds one sample, one
/// FirstCall and the checks of the first C. Throws nothing for what the implementation does wrong: that is
/// the outcome.
Outcome first_call(const Implementation& implementation, const Point& point,
                   const std::function<std::unique_ptr<Backend>()>& make_backend,
                   const DoubleProduct& product);

}  // namespace gemmlab
