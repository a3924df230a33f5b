#pragma once

// The register tile of cpu.packed and what is packed for it. One source, compiled for each isa.

#include "core/rounding.h"
#include "cpu/device/simd.h"
#include "cpu/gemm/packed/tuning.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// C[rows, cols] = A·B, or += where `add` is set, over `depth` terms. B is a panel: `depth` rows of up to
/// kTileCols floats, b_stride apart.
struct TileWork {
  const float* a;
  std::int64_t a_stride;  ///< between rows
  const float* b;
  std::int64_t b_stride;
  float* keep;         ///< where a whole tile leaves a packed copy of its panel of B, or nullptr
  std::int64_t ahead;  ///< a whole tile asks for what is so many floats beyond each row of B; 0: for none
  float* c;
  std::int64_t c_stride;
  std::int64_t depth;
  std::int64_t cols;  ///< up to kTileCols
  bool add;
  bool far_c;  ///< asks for C kFarTiles ahead
};

/// 1 to kTileRows rows. The B of a tile narrower than kTileCols must be a packed panel (b_stride of
/// panel_stride(cols)), whose rows are filled up with zeros: it is read in whole registers. C is read and
/// written in `cols` columns and no others.
void multiply_tile(int rows, const TileWork& work);

/// Up to kPairRows rows of two whole tiles side by side, whose packed panels of B follow one another.
void multiply_pair(int rows, const TileWork& work);

/// Floats between the rows of a packed panel of that many columns: whole registers.
constexpr std::int64_t panel_stride(std::int64_t cols) {
  return cols > kTileCols ? kTileCols : rounded_up(cols, kLanes);
}

/// Copies `cols` columns of B, fewer than kTileCols, into a panel with rows of panel_stride(cols) floats and
/// zeros beyond cols.
void pack_narrow(const float* b, std::int64_t b_stride, std::int64_t depth, std::int64_t cols, float* to);

/// Copies rows of `width` floats.
void copy_rows(const float* from, std::int64_t from_stride, std::int64_t rows, std::int64_t width, float* to,
               std::int64_t to_stride);

}  // namespace GEMMLAB_KERNEL_NAMESPACE
