#pragma once

// How rewritten CUDA code is compiled for this processor.

#include <string>
#include <vector>

namespace gemmlab::emulation {

/// What g++ is given to compile a rewritten .cu for this processor (flags.txt, and -mfma where there is FMA); the
/// folder of CUDA's headers, emulator/include, is not among it.
std::vector<std::string> emulation_flags();

}  // namespace gemmlab::emulation
