#pragma once

// Looks for solve among the symbols of a compiled hand-in.

#include <string>

#include "submissions/solve_form.h"

namespace gemmlab::submissions {

/// What is wrong with what a library exports, and what to do about it; both empty where it has solve.
struct SymbolFault {
  std::string reason;
  std::string hint;
};

/// Reads the output of nm -D --defined-only. `wanted`: the signature, for messages.
SymbolFault check_symbols(const std::string& nm_output, const std::string& wanted = signature({}, false));

}  // namespace gemmlab::submissions
