#pragma once

// Reads from the source of a hand-in what a sentence about it can point to: variables that threads share, or that are kept from
// call to call, and where products are summed.

#include <string>

#include "submissions/build/build.h"

namespace gemmlab::submissions {

/// "sum (line 4) is declared outside of the parallel region of line 5": the first scalar that such a region sets although it is
/// declared in front of it and in none of its clauses; or "the lambda of line 9 takes t by reference ([&]), which the loop of line 8
/// changes meanwhile". Empty where there is none. A reading of the text, which proves nothing by itself.
std::string shared_by_threads(const Submission& submission);
std::string shared_by_threads(const std::string& source);

/// "arrived (line 3)": variables that outlive a call, __device__, static or global, and are not constant.
std::string kept_variables(const std::string& source);

/// "left (line 4) and right (line 5)": two arrays of dynamic shared memory that one function uses.
std::string arrays_at_one_address(const std::string& source);

/// "sums (line 9) is added to in line 12, ...": a local variable or array whose first use is +=.
std::string unset_sum(const std::string& source);

/// The line in which a variable of that name is declared first; 0: none.
int declared_in(const std::string& source, const std::string& name);

/// "line 15", "lines 9 and 10": where products are summed; empty where there is no such statement, or more than three.
std::string lines_of_sums(const std::string& source);

}  // namespace gemmlab::submissions
