#pragma once

// What the kernels by wgmma on typed operands are launched with, beside the tensor maps of A, B and C. For .cu and .cpp files.

#include <cuda_runtime.h>

#include "core/element_type.h"
#include "gpu/gemm/tile_walk.h"

namespace gemmlab::gpu::tensor_core {

constexpr int kRowBytes = 128;     ///< of a row in shared memory: the swizzle's width, and a step of K
constexpr int kBytesOfSum = 4;     ///< of a part: float or int32
constexpr int kPieceRowsOfD = 64;  ///< of D of one wgmma, and of C of one request of TMA

/// How C leaves shared memory: by TMA where its rows start at multiples of 16 bytes, else a warp one row at a time.
enum class Storing { kByRows, kByTma };

/// C (M, N), row-major, and how it is written.
struct Result {
  void* at = nullptr;
  int M = 0;
  int N = 0;
  ElementType type = ElementType::kFloat32;
  Storing how = Storing::kByRows;
};

/// The work of all blocks: down×across tiles, of a cluster each. Those from `whole` on, which would not keep all blocks busy, are
/// shared out in `splits` parts of their terms, whose sums add_parts.h adds up.
struct Arguments {
  Result C;
  int down = 0;
  int across = 0;
  int group = 1;        ///< rows of tiles that are walked together
  int steps = 0;        ///< of K, of BK terms; the last may lie partly beyond it
  int stage_bytes = 0;  ///< that a stage's requests bring
  int whole = 0;
  int splits = 1;
  void* parts = nullptr;  ///< (tile, part, block of the cluster, row, column), float or int32

  GEMMLAB_BOTH int units() const { return whole + (tiles() - whole) * splits; }

  GEMMLAB_BOTH int tiles() const { return down * across; }
  GEMMLAB_BOTH TilePlace place(int tile) const { return grouped_place<int>(tile, group, down, across); }
};

}  // namespace gemmlab::gpu::tensor_core
