#pragma once

// What one thread of cpu.gemv_simd computes by itself, and what cpu.packed computes where C has one
// row or column.

#include <cstdint>

#include "cpu/device/kernel.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// Do the threads share the terms of the sums, so that each has a vector y of its own to be added up in the
/// end? Else they share the elements of y.
bool shares_terms(std::int64_t m, bool transposed, int threads);

/// y = A·x or, transposed, y = Aᵀ·x: A (m, n) row-major, on exactly `threads` threads. Returns how
/// many took part.
int multiply_vector(const float* a, const float* x, float* y, std::int64_t m, std::int64_t n, bool transposed,
                    int threads);

}  // namespace GEMMLAB_KERNEL_NAMESPACE
