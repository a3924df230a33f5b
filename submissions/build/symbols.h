#pragma once

// Looks for solve among the symbols of a compiled hand-in.

#include <string>

namespace gemmlab::submissions {

/// What is wrong with what a library exports, and what to do about it; both empty where it has solve.
struct SymbolFault {
  std::string reason;
  std::string hint;
};

/// Reads the output of nm -D --defined-only.
SymbolFault check_symbols(const std::string& nm_output);

/// "extern "C" void solve(const float* A, ...)", for messages.
const char* wanted_signature();

}  // namespace gemmlab::submissions
