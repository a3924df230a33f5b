#pragma once

// Matrices of 16-bit floats, for libraries that multiply such.

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/rounding.h"
#include "gpu/device/device.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {

enum class Narrow { kFp16, kBf16 };

/// Elements from one row of `length` to the next: rows start at multiples of 16 bytes, which is what tensor
/// cores are fed by.
inline std::int64_t narrow_row(std::int64_t length) {
  constexpr std::int64_t kEight = 8;
  return rounded_up(length, kEight);
}

/// Rounds a row-major float32 matrix (rows, length) to nearest, ties to even, its rows narrow_row(length)
/// apart with zeros between. What is beyond FP16's 65504 becomes Inf. `to` is at a multiple of 16 bytes.
void launch_narrow(Narrow type, void* to, const float* from, std::int64_t rows, std::int64_t length);

/// A and B in 16 bits: made anew for every multiply, or staged before it.
class NarrowOperands {
 public:
  struct Pair {
    const void* a = nullptr;
    const void* b = nullptr;
  };
  NarrowOperands(const Shape& shape, Narrow type, bool resident);

  /// Resident: converts these pairs, which alone may be asked for until the next call.
  void stage(const std::vector<OperandPair>& pairs);
  /// A and B in 16 bits by the time that the current stream gets there. Resident: throws std::logic_error
  /// where they were not staged.
  Pair of(const float* a, const float* b);
  /// Device memory that is held.
  std::int64_t bytes() const { return static_cast<std::int64_t>(memory_->bytes()); }

 private:
  void take(std::int64_t pairs);
  Pair convert(std::int64_t place, const float* a, const float* b);

  Shape shape_;
  Narrow type_;
  bool resident_;
  std::int64_t a_bytes_;
  std::int64_t pair_bytes_;
  std::unique_ptr<DeviceMemory> memory_;
  std::map<std::pair<const float*, const float*>, Pair> staged_;
};

}  // namespace gemmlab::gpu
