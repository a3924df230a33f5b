#pragma once

// y = A·x or y = Aᵀ·x for A (m, n) row-major at the speed of memory: for gpu.gemv_tuned, and for products of
// matrices of which one is a single row or column.

#include <cstdint>
#include <memory>
#include <string>

#include "core/implementation.h"
#include "gpu/device/device.h"

namespace gemmlab::gpu {

using GemvKernel = void (*)(const float* A, const float* x, float* y, int m, int n, int groups, int splits,
                            float* partial, unsigned* arrived);

/// One kernel and its grid: `groups` blocks side by side that share out y, `splits` of them that share out
/// the terms of a sum.
struct GemvPlan {
  GemvKernel kernel = nullptr;
  const char* path = "";  ///< "rows" or "columns"
  int results_per_block = 0;
  int groups = 0;
  int splits = 1;
  int load_bytes = 0;
};

/// For rows of A: a warp's part, a warp or a block per one or four rows. For columns: blocks 32 or
/// 8 threads wide.
GemvPlan plan_rows(std::int64_t m, std::int64_t n, bool aligned);
GemvPlan plan_columns(std::int64_t m, std::int64_t n, bool aligned);
/// Threads of a block of every plan.
inline constexpr int kGemvThreads = 256;

/// Blocks of a kernel that the card holds at once.
int resident_blocks(GemvKernel kernel);
/// Into how many parts the terms of each sum are cut so that the card is full: at least `least`
/// terms in each.
int splits_for(int groups, int slots, std::int64_t terms, std::int64_t least);

/// A gemv of one shape, with the memory that it needs between calls.
class Gemv {
 public:
  Gemv(std::int64_t m, std::int64_t n, bool transposed);

  /// Into the current stream. A, x and y lie at any float.
  void run(const float* A, const float* x, float* y);
  Facts chosen() const;
  Facts resources() const;

 private:
  std::int64_t m_;
  std::int64_t n_;
  bool transposed_;
  GemvPlan aligned_;  ///< for A and x at multiples of 16 bytes, where the rows of A are, too
  GemvPlan any_;
  bool last_was_aligned_ = true;
  std::unique_ptr<DeviceMemory> partial_;  ///< a sum per result and split
  std::unique_ptr<DeviceMemory> arrived_;  ///< a counter per group
};

/// Why a shape is refused; empty where it is not.
std::string gemv_too_long(std::int64_t m, std::int64_t n);

}  // namespace gemmlab::gpu
