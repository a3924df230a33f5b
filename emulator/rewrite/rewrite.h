#pragma once

// CUDA C++ into C++ that g++ compiles.

#include <string>

namespace gemmlab::emulation {

struct Rewritten {
  std::string text;
};

/// CUDA C++ as g++ compiles it with emulator/include: launches become calls, `__shared__` variables
/// references to emulated shared memory, inline PTX a call that interprets it, or, where it is not run, a name that no one declares (so that only
/// code that is compiled can fail by it), and unroll pragmas those of g++. Every line keeps its number. What is not
/// understood stays as it is, for the compiler to complain of.
Rewritten rewrite(const std::string& source);

}  // namespace gemmlab::emulation
