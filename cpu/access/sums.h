#pragma once

// Sums of whole numbers by loads of 1 to 64 bytes, one function each: SIMD where the width asks for it, and
// no more than it asks for.

#include <cstdint>

namespace gemmlab::cpu::accessing {

/// `count` elements, `stride` elements from one to the next, `passes` times over. With a stride, or for loads
/// of less than 4 bytes, the values are below 256.
using Sum = std::int64_t (*)(const std::int32_t* first, std::int64_t count, std::int64_t stride,
                             std::int64_t passes);

/// Loads of 1, 2, 4, 8, 16, 32 (avx2) or 64 bytes (avx512), which must be at hand.
Sum sum_of_width(std::int64_t width);

}  // namespace gemmlab::cpu::accessing
