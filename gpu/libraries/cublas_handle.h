#pragma once

// A handle of cuBLAS in the current stream, for functions other than gemm's.

#include <cstdint>
#include <memory>

#include "core/implementation.h"

namespace gemmlab::gpu {

/// The functions that operations on vectors need. Sizes fit 32 bits. Pointers lie on the device.
class Cublas {
 public:
  virtual ~Cublas() = default;
  virtual void dot(std::int64_t n, const float* x, const float* y, float* result) = 0;
  virtual void axpy(std::int64_t n, float alpha, const float* x, float* y) = 0;
  /// y = A·x or Aᵀ·x, A (m, n) row-major.
  virtual void gemv(bool transposed, std::int64_t m, std::int64_t n, const float* A, const float* x,
                    float* y) = 0;
  virtual Facts chosen() const = 0;
};

/// Throws std::runtime_error with why_no_cublas() where there is none.
std::unique_ptr<Cublas> make_cublas();

}  // namespace gemmlab::gpu
