#include "cpu/packed/tile.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// The rows of A, reached from one pointer in every three: a pointer a row would need more registers than
/// there are, and base + stride and base + 2·stride are addresses that x86 forms by itself.
template <int kRows>
struct RowsOfA {
  const float* base[(kRows + 2) / 3];
  std::int64_t stride;
};

template <int kRows>
GEMMLAB_INLINE const float* row_of(const RowsOfA<kRows>& a, int row) {
  return a.base[row / 3] + row % 3 * a.stride;
}

/// One term of each sum: a row of B in registers, each element of A spread over one and used for all of them.
template <int kRows, int kVectors>
GEMMLAB_INLINE void add_term(Vector (&sums)[kRows][kVectors], const RowsOfA<kRows>& a, int k,
                             const float* b) {
  Vector b_row[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) b_row[v] = load(b + v * kLanes);
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
    const Vector a_value = broadcast(row_of(a, row) + k);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[row][v] = fused(a_value, b_row[v], sums[row][v]);
  }
}

/// The product of kRows rows and kVectors registers of columns. kPacked: the rows of B follow one another.
/// kMasked: the last register of C is a part of one.
template <int kRows, int kVectors, bool kPacked, bool kMasked>
static void tile(const TileWork& work) {
  Vector sums[kRows][kVectors];
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
    // C's lines are on their way while the sums are made
    __builtin_prefetch(work.c + row * work.c_stride, 1);
    __builtin_prefetch(work.c + row * work.c_stride + work.cols - 1, 1);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[row][v] = zero();
  }
  RowsOfA<kRows> a;
  a.stride = work.a_stride;
#pragma GCC unroll 8
  for (int three = 0; three < (kRows + 2) / 3; ++three) a.base[three] = work.a + 3 * three * work.a_stride;
  const float* b = work.b;
  const std::int64_t b_stride = kPacked ? kVectors * kLanes : work.b_stride;

  std::int64_t left = work.depth;
  for (; left >= kUnroll; left -= kUnroll) {
#pragma GCC unroll 4
    for (int k = 0; k < kUnroll; ++k) {
      add_term<kRows, kVectors>(sums, a, k, b);
      b += b_stride;
    }
#pragma GCC unroll 8
    for (auto& base : a.base) base += kUnroll;
  }
  for (; left > 0; --left) {
    add_term<kRows, kVectors>(sums, a, 0, b);
    b += b_stride;
#pragma GCC unroll 8
    for (auto& base : a.base) base += 1;
  }

  const Mask mask = first_lanes(kMasked ? work.cols - (kVectors - 1) * kLanes : 0);
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
    float* c = work.c + row * work.c_stride;
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v, c += kLanes) {
      const bool part = kMasked && v == kVectors - 1;
      Vector sum = sums[row][v];
      if (work.add) sum = added(sum, part ? load_first(c, mask) : load(c));
      if (part) {
        store_first(c, mask, sum);
      } else {
        store(c, sum);
      }
    }
  }
}

using Tile = void (*)(const TileWork&);

template <int kRows, int kVectors>
static void narrow_tile(const TileWork& work) {
  if (work.cols == kVectors * kLanes) {
    tile<kRows, kVectors, true, false>(work);
  } else {
    tile<kRows, kVectors, true, true>(work);
  }
}

/// Whole tiles first: with B where it lies, or packed; then the widths in registers.
template <int kRows>
static void multiply_rows(const TileWork& work) {
  static_assert(kTileVectors == 2 || kTileVectors == 3);
  if (work.cols == kTileCols) {
    if (work.b_stride == kTileCols) return tile<kRows, kTileVectors, true, false>(work);
    return tile<kRows, kTileVectors, false, false>(work);
  }
  if (work.cols <= kLanes) return narrow_tile<kRows, 1>(work);
  if (work.cols <= 2 * kLanes) return narrow_tile<kRows, 2>(work);
  if constexpr (kTileVectors == 3) return narrow_tile<kRows, 3>(work);
}

/// The function of each height, from one row on.
struct Tiles {
  Tile of[kTileRows];
};

template <int kRows>
static constexpr void enter(Tiles& tiles) {
  tiles.of[kRows - 1] = multiply_rows<kRows>;
  if constexpr (kRows > 1) enter<kRows - 1>(tiles);
}

static constexpr Tiles all_tiles() {
  Tiles tiles{};
  enter<kTileRows>(tiles);
  return tiles;
}

void multiply_tile(int rows, const TileWork& work) {
  static constexpr Tiles kTiles = all_tiles();
  kTiles.of[rows - 1](work);
}

void pack_b(const CopyOfB& block, std::int64_t k0, std::int64_t k1, std::int64_t ahead) {
  const std::int64_t depth = block.depth;
  const std::int64_t whole = block.cols / kTileCols * kTileCols;
  const std::int64_t rest = block.cols - whole;
  const std::int64_t rest_width = panel_stride(rest);
  const Mask mask = first_lanes(rest - (rest_width - kLanes));
  // along the rows of B, as they lie in memory: down a panel, each line would be on another page
  for (std::int64_t k = k0; k < k1; ++k) {
    const float* from = block.b + k * block.b_stride;
    const float* later = from + (k + ahead < depth ? ahead : 0) * block.b_stride;
    float* panel_row = block.to + k * kTileCols;
    for (std::int64_t col = 0; col < whole; col += kTileCols) {
#pragma GCC unroll 4
      for (int line = 0; line < kTileCols; line += 16) __builtin_prefetch(later + col + line);
#pragma GCC unroll 4
      for (int v = 0; v < kTileVectors; ++v) store(panel_row + v * kLanes, load(from + col + v * kLanes));
      panel_row += depth * kTileCols;
    }
    if (rest == 0) continue;
    float* last = block.to + depth * whole + k * rest_width;
    std::int64_t lane = 0;
    for (; lane < rest_width - kLanes; lane += kLanes) store(last + lane, load(from + whole + lane));
    store(last + lane, load_first(from + whole + lane, mask));
  }
}

void copy_rows(const float* a, std::int64_t a_stride, std::int64_t rows, std::int64_t depth, float* to,
               std::int64_t to_stride) {
  for (std::int64_t row = 0; row < rows; ++row)
    __builtin_memcpy(to + row * to_stride, a + row * a_stride,
                     static_cast<std::size_t>(depth) * sizeof(float));
}

}  // namespace GEMMLAB_KERNEL_NAMESPACE
