#pragma once

// Finds buffer overflows behind a crash.

#include <optional>
#include <string>

#include "submissions/judge/failures/failure.h"
#include "submissions/judge/processes/callee_process.h"

namespace gemmlab::submissions {

/// A call that ended with a bad address is made once more, in a process whose C library checks its heap: does a buffer overflow
/// there? Empty where that finds nothing. `request` is that call, whose inputs still lie in the matrices of `setup`.
std::optional<Failure> heap_checked(CalleeSetup setup, const Request& request, double limit_s,
                                    const std::string& where);

}  // namespace gemmlab::submissions
