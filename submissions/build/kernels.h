#pragma once

// What ptxas -v says of each kernel.

#include <string>
#include <vector>

#include "submissions/build/build.h"

namespace gemmlab::submissions {

/// A kernel's name as its writer knows it: "_Z5tiledILi32EEvPKfPf" is "tiled<32>".
std::string kernel_name(const std::string& symbol);

/// The kernels of a compiler's output, in its order.
std::vector<KernelReport> parse_kernels(const std::string& output);

}  // namespace gemmlab::submissions
