#include "cpu/gemm/packed/tile.h"

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

/// Where a tile finds its panel of B, and what it does for later ones beside multiplying.
enum class PanelOfB {
  packed,    ///< its rows follow one another
  pair,      ///< packed, and the panel of the tile at its right behind it
  in_place,  ///< b_stride apart
  asking,    ///< in place; asks the memory for what is `ahead` of each row
  keeping,   ///< asking; leaves a packed copy behind
};

/// One term of each sum: a row of B in registers, each element of A spread over one and used for all of them.
template <int kRows, int kVectors, PanelOfB kPanel>
GEMMLAB_INLINE void add_term(Vector (&sums)[kRows][kVectors], const RowsOfA<kRows>& a, int k, const float* b,
                             float* keep, std::int64_t ahead) {
  const std::int64_t second = kPanel == PanelOfB::pair ? ahead : 0;
  Vector b_row[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    b_row[v] = load(b + v * kLanes + (v < kTileVectors ? 0 : second));
    if constexpr (kPanel == PanelOfB::keeping) store(keep + v * kLanes, b_row[v]);
  }
  if constexpr (kPanel == PanelOfB::asking || kPanel == PanelOfB::keeping) {
    // into L2 only: rows a power of two apart share so few lines of L1 that they would throw each other out
#pragma GCC unroll 4
    for (int line = 0; line < kAskedFloats; line += kLineFloats) __builtin_prefetch(b + line + ahead, 0, 2);
  }
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
    const Vector a_value = broadcast(row_of(a, row) + k);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[row][v] = fused(a_value, b_row[v], sums[row][v]);
  }
}

/// The product of kRows rows and kVectors registers of columns. kMasked: the last register of C is a
/// part of one.
template <int kRows, int kVectors, PanelOfB kPanel, bool kMasked>
static void tile(const TileWork& work) {
  Vector sums[kRows][kVectors];
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
    // C's lines are on their way while the sums are made
    const float* c = work.c + row * work.c_stride;
    if constexpr (kPanel == PanelOfB::pair) {
      // nothing is asked for
    } else if (work.far_c) {
      __builtin_prefetch(c + kFarTiles * kTileCols, 1, 2);
      __builtin_prefetch(c + kFarTiles * kTileCols + kLineFloats, 1, 2);
    } else {
      __builtin_prefetch(c, 1);
      __builtin_prefetch(c + work.cols - 1, 1);
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[row][v] = zero();
  }
  RowsOfA<kRows> a;
  a.stride = work.a_stride;
#pragma GCC unroll 8
  for (int three = 0; three < (kRows + 2) / 3; ++three) a.base[three] = work.a + 3 * three * work.a_stride;
  const float* b = work.b;
  const std::int64_t b_stride = kPanel == PanelOfB::packed ? kVectors * kLanes
                                : kPanel == PanelOfB::pair ? kTileCols
                                                           : work.b_stride;
  float* keep = work.keep;
  // of a pair: from where the second panel would be, were its rows in the first one's, to where it is
  const std::int64_t ahead = kPanel == PanelOfB::pair ? (work.depth - 1) * kTileCols : work.ahead;

  std::int64_t left = work.depth;
  for (; left >= kUnroll; left -= kUnroll) {
#pragma GCC unroll 4
    for (int k = 0; k < kUnroll; ++k) {
      add_term<kRows, kVectors, kPanel>(sums, a, k, b, keep, ahead);
      b += b_stride;
      if constexpr (kPanel == PanelOfB::keeping) keep += kVectors * kLanes;
    }
#pragma GCC unroll 8
    for (auto& base : a.base) base += kUnroll;
  }
  for (; left > 0; --left) {
    add_term<kRows, kVectors, kPanel>(sums, a, 0, b, keep, ahead);
    b += b_stride;
    if constexpr (kPanel == PanelOfB::keeping) keep += kVectors * kLanes;
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
    tile<kRows, kVectors, PanelOfB::packed, false>(work);
  } else {
    tile<kRows, kVectors, PanelOfB::packed, true>(work);
  }
}

template <int kRows, PanelOfB kPanel>
static void whole_tile(const TileWork& work) {
  tile<kRows, kTileVectors, kPanel, false>(work);
}

/// Whole tiles first: with B where it lies, or packed; then the widths in registers.
template <int kRows>
static void multiply_rows(const TileWork& work) {
  static_assert(kTileVectors == 2 || kTileVectors == 3);
  if (work.cols == kTileCols) {
    if (work.keep != nullptr) return whole_tile<kRows, PanelOfB::keeping>(work);
    if (work.ahead != 0) return whole_tile<kRows, PanelOfB::asking>(work);
    if (work.b_stride == kTileCols) return whole_tile<kRows, PanelOfB::packed>(work);
    return whole_tile<kRows, PanelOfB::in_place>(work);
  }
  if (work.cols <= kLanes) return narrow_tile<kRows, 1>(work);
  if (work.cols <= 2 * kLanes) return narrow_tile<kRows, 2>(work);
  if constexpr (kTileVectors == 3) return narrow_tile<kRows, 3>(work);
}

/// The function of each height, from one row on.
struct TileTable {
  Tile of[kTileRows];
};

template <int kRows>
static constexpr void enter(TileTable& tiles) {
  tiles.of[kRows - 1] = multiply_rows<kRows>;
  if constexpr (kRows > 1) enter<kRows - 1>(tiles);
}

static constexpr TileTable all_tiles() {
  TileTable tiles{};
  enter<kTileRows>(tiles);
  return tiles;
}

void multiply_tile(int rows, const TileWork& work) {
  static constexpr TileTable kTileTable = all_tiles();
  kTileTable.of[rows - 1](work);
}

template <int kRows>
static void enter_pair([[maybe_unused]] int rows, [[maybe_unused]] const TileWork& work) {
  if constexpr (kRows > 0) {
    if (rows == kRows) return tile<kRows, 2 * kTileVectors, PanelOfB::pair, false>(work);
    enter_pair<kRows - 1>(rows, work);
  }
}

void multiply_pair(int rows, const TileWork& work) {
  enter_pair<kPairRows>(rows, work);
}

void pack_narrow(const float* b, std::int64_t b_stride, std::int64_t depth, std::int64_t cols, float* to) {
  const std::int64_t width = panel_stride(cols);
  const Mask mask = first_lanes(cols - (width - kLanes));
  for (std::int64_t k = 0; k < depth; ++k) {
    const float* later = b + (k + kAheadRows < depth ? kAheadRows : 0) * b_stride;
    for (std::int64_t line = 0; line < cols; line += kLineFloats) __builtin_prefetch(later + line);
    std::int64_t lane = 0;
    for (; lane < width - kLanes; lane += kLanes) store(to + lane, load(b + lane));
    store(to + lane, load_first(b + lane, mask));
    b += b_stride;
    to += width;
  }
}

void copy_rows(const float* from, std::int64_t from_stride, std::int64_t rows, std::int64_t width, float* to,
               std::int64_t to_stride) {
  for (std::int64_t row = 0; row < rows; ++row) {
    __builtin_memcpy(to + row * to_stride, from + row * from_stride,
                     static_cast<std::size_t>(width) * sizeof(float));
  }
}

}  // namespace GEMMLAB_KERNEL_NAMESPACE
