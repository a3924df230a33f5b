#pragma once

// cuda::std as g++'s std.

#include <cstddef>
#include <cstdint>

namespace cuda::std {
using namespace ::std;
}  // namespace cuda::std
