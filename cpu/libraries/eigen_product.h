#pragma once

// Eigen's product in double precision, compiled once for each isa: what references are made with where OpenBLAS is
// not found.

#include <cstdint>

namespace gemmlab::cpu {

/// C = A·B in double, row-major: A (m, k), B (k, n), C (m, n), on `threads` threads.
using EigenProduct = void (*)(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n,
                              std::int64_t k, int threads);

/// That of an isa of this machine. Throws std::invalid_argument for a name that none has.
EigenProduct eigen_product_of(const char* isa);

}  // namespace gemmlab::cpu
