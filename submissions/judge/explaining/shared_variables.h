#pragma once

// Reads from the source which variables the threads of a hand-in share by mistake.

#include <string>

#include "submissions/build/build.h"

namespace gemmlab::submissions {

/// "sum (line 4) is declared outside of the parallel region of line 5": the first scalar that such a region sets although it is
/// declared in front of it and in none of its clauses; or "the lambda of line 9 takes t by reference ([&]), which the loop of line 8
/// changes meanwhile". Empty where there is none. A reading of the text, which proves nothing by itself.
std::string shared_by_threads(const Submission& submission);
std::string shared_by_threads(const std::string& source);

}  // namespace gemmlab::submissions
