#pragma once

// What a kernel file needs besides its kernel: it states a LaunchPlan, and the classes here launch, check
// and describe it.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "gpu/device/resources.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {

/// Every kernel here: A (M, K), B (K, N), C (M, N), row-major. Dimensions are at most kLongestSide, so that
/// an index rounded up to a tile still is an int; offsets are 64-bit.
using Kernel = void (*)(const float* A, const float* B, float* C, int M, int N, int K);

inline constexpr std::int64_t kLongestSide = 2'000'000'000;

/// How a kernel is launched for a set of parameters: one block of `threads` a BM×BN tile of C.
struct LaunchPlan {
  Kernel kernel = nullptr;
  dim3 threads;
  int BM = 0;
  int BN = 0;
  /// The variant for matrices whose rows all start at multiples of 16 bytes; nullptr where
  /// `kernel` serves all.
  Kernel aligned_kernel = nullptr;
  /// Do the threads of a block share what they load (through shared memory), so that A and B are read once a
  /// tile? Where they do not, every element of C reads its own row of A and column of B.
  bool shares_loads = true;
};

/// The first row and column of this block's tile of C. Grids are one-dimensional with the tiles counted row
/// by row, since a grid's y is limited to 65535 and a tall C has more rows of tiles than that.
struct TileCorner {
  int row;
  int col;
};
#ifdef __CUDACC__
__device__ inline TileCorner tile_corner(int N, int BM, int BN) {
  const unsigned tiles_across = (static_cast<unsigned>(N) + BN - 1) / BN;
  return {static_cast<int>(blockIdx.x / tiles_across * BM), static_cast<int>(blockIdx.x % tiles_across * BN)};
}
#endif

/// Launches a plan's kernel at one shape in the current stream.
class KernelSession : public GemmSession {
 public:
  KernelSession(const LaunchPlan& plan, const Shape& shape);
  void multiply(const float* a, const float* b, float* c) override;
  Facts chosen() const override;
  Facts resources() const override;

 private:
  LaunchPlan plan_;
  Shape shape_;
  std::int64_t blocks_;
  Kernel last_kernel_;  ///< what ran last, or will if the pointers are aligned
};

/// A kernel of ours as a row of the table.
class KernelImplementation : public GemmImplementation {
 public:
  using Planner = LaunchPlan (*)(const Parameters& parameters);
  KernelImplementation(Description description, Planner planner)
      : description_(std::move(description)), planner_(planner) {}

  const Description& description() const override { return description_; }
  std::string unavailable() const override;
  std::string why_not(const Shape& shape, const Parameters& parameters) const override;
  /// A once for each column of tiles, B once for each row of tiles, C once.
  double moved_bytes(const Shape& shape, const Parameters& parameters) const override;
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override;

 private:
  Description description_;
  Planner planner_;
};

/// Blocks of a grid, of which each has a tile of C.
std::int64_t tiles_of(const Shape& shape, int BM, int BN);
/// Why C has more of them than a grid; empty when it has not.
std::string too_many_tiles(const Shape& shape, int BM, int BN);
/// Bytes that move where A is read once for each column of tiles, B once for each row of tiles, and C written
/// once.
double tiled_bytes(const Shape& shape, std::int64_t tile_rows, std::int64_t tile_cols,
                   const GemmTypes& types = {});

/// Why a side is too long for 32-bit indices; empty when none is.
std::string too_long(const Shape& shape);
std::string too_long(const Shape& shape, const GemmForm& form);  ///< a leading dimension, too

}  // namespace gemmlab::gpu
