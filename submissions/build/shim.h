#pragma once

// Allocations that fail in a submission: a few lines of the judge, linked with it, note how many bytes were
// asked for.

#include <string>
#include <vector>

#include "core/implementation.h"

namespace gemmlab::submissions {

/// C++ source of the shim. The shared library exports with it, beside solve, `gemmlab_refused_bytes`, an `unsigned long
/// long`: 0 as long as nothing was refused, else the bytes of the last allocation that was. With GEMMLAB_WRAP_CUDA defined it stands before the CUDA runtime, too; with
/// GEMMLAB_WRAP_EMULATOR besides, that is the emulator's, which notes its launches itself.
const char* allocation_shim();

/// The functions that the linker must lead through the shim (--wrap).
std::vector<std::string> wrapped_functions(const Device& device, bool emulated);

}  // namespace gemmlab::submissions
