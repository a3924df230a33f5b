#pragma once

// What GEMMLAB_TRACE=FILE wrote (api/blas/trace.cpp) as an experiment: exactly the products of a real program.

#include <string>

#include "runner/definition/definition.h"

namespace gemmlab::runner {

/// A group for each shape, form and pair of types in the file, the ones that took longest first; in each what answered and, of
/// float32, our implementations that take every form and the libraries of its device as accurate as FP32; of other types
/// the last of our own and the libraries for them. Products are without their bias. It is called
/// "trace_" and the file's stem. Products without elements are left out, and so,
/// with a note that names its line, is one that no experiment may hold, as one over the limit of a size. Throws UsageError with file, line, key, value
/// and what is allowed.
Definition load_trace(const std::string& file, const Catalogue& catalogue);

}  // namespace gemmlab::runner
