#pragma once

// The register tile of cpu.packed and what is packed for it. One source, compiled for each isa.

#include "cpu/packed/simd.h"
#include "cpu/packed/tuning.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// C[rows, cols] = A·B, or += where `add` is set, over `depth` terms. B is a panel: `depth` rows of up to
/// kTileCols floats, b_stride apart.
struct TileWork {
  const float* a;
  std::int64_t a_stride;  ///< between rows
  const float* b;
  std::int64_t b_stride;
  float* c;
  std::int64_t c_stride;
  std::int64_t depth;
  std::int64_t cols;  ///< up to kTileCols
  bool add;
};

/// 1 to kTileRows rows. The B of a tile narrower than kTileCols must be a packed panel (b_stride of
/// panel_stride(cols)), whose rows are filled up with zeros: it is read in whole registers. C is read and
/// written in `cols` columns and no others.
void multiply_tile(int rows, const TileWork& work);

/// Floats between the rows of a packed panel of that many columns: whole registers.
constexpr std::int64_t panel_stride(std::int64_t cols) {
  return cols > kTileCols ? kTileCols : (cols + kLanes - 1) / kLanes * kLanes;
}

/// A block of B and its copy: panels of kTileCols columns, one after another, the last as wide as
/// panel_stride says, with zeros beyond cols.
struct CopyOfB {
  const float* b;
  std::int64_t b_stride;
  std::int64_t depth;
  std::int64_t cols;
  float* to;
};

/// Copies rows k0 to k1 of the block; `ahead` rows ahead of each it asks the memory for another.
void pack_b(const CopyOfB& block, std::int64_t k0, std::int64_t k1, std::int64_t ahead);

/// Copies rows of A one after another, `to_stride` apart.
void copy_rows(const float* a, std::int64_t a_stride, std::int64_t rows, std::int64_t depth, float* to,
               std::int64_t to_stride);

}  // namespace GEMMLAB_KERNEL_NAMESPACE
