#pragma once

// Is an index of 32 bits used where it does not fit? Each of M, N and K is an int, their products need not be.

#include <optional>

#include "submissions/judge/failures/failure.h"
#include "submissions/judge/processes/callee_process.h"

namespace gemmlab::submissions {

/// One call at a shape whose B has more than 2^31 elements, of memory that is a little memory repeated. Only an access outside of the
/// matrices counts; what has come to none within seconds is not waited for. `setup`: of CPU code.
std::optional<Failure> overflowing_index(CalleeSetup setup);

/// The same of GPU code that is emulated, at three shapes: of A, B and C each once; a few blocks of each grid are run, on memory of which
/// only what is written to is there.
std::optional<Failure> overflowing_index_emulated(CalleeSetup setup);

}  // namespace gemmlab::submissions
