// C = A·B on the matrix unit (AMX), operands as they lie.
//
// One instruction multiplies a tile of A, 16 rows of 64 bytes, by a tile of B and adds 16×16 sums to a third tile: 8,192 multiply-adds
// in bfloat16, 16,384 in int8. A's tile is loaded where it lies, row by row. B's cannot be: the unit wants the two (or four) terms of a word
// side by side, and in B they are rows apart. So it is put in order each time that it is needed, which is once for every 16 rows of C.
//
// Limit: two tiles are fetched, and one of them is made, for each product. Making it takes 16 lines of several instructions, the product 16 cycles.

#include "cpu/gemm/typed/method.h"
#include "cpu/gemm/typed/panels.h"
#include "cpu/gemm/typed/to_c.h"
#include "cpu/gemm/typed/unit_types.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

/// 16×16 elements of C.
template <typename Unit>
static void multiply_tile(const TypedProduct& p, std::int64_t row, std::int64_t col, WriteTile* write) {
  using Element = typename Unit::Element;
  const PanelSource a = source_of_a<Element>(p);
  const PanelSource b = source_of_b<Element>(p);
  alignas(64) char tile[kTileBytes];
  clear_tile<0>();
  for (std::int64_t term = 0; term < p.k; term += kTermsOfStep<Element>) {
    if (a.by_line && row + kLines <= p.m && term + kTermsOfStep<Element> <= p.k) {
      const char* first = a.first + row * a.stride_bytes + term * static_cast<std::int64_t>(sizeof(Element));
      load_tile_lines<1>(first, a.stride_bytes);
    } else {  // an edge, or A transposed
      pack_tile<Element>(a, true, row, term, 0, tile);
      load_tile<1>(tile);
    }
    pack_tile<Element>(b, false, col, term, 0, tile);
    load_tile<2>(tile);
    Unit::template multiply<0, 1, 2>();
  }
  store_tile<0>(tile);
  write(p, tile, row, col);
}

static int multiply(const TypedProduct& p) {
  WriteTile* write = writer_of(p);
  return on_unit(p, [&](auto unit) {
    using Unit = decltype(unit);
    return each_part<Unit, kLines>(
        p, [&](std::int64_t row, std::int64_t col) { multiply_tile<Unit>(p, row, col, write); });
  });
}

extern const TypedMethod tiles_unpacked = {
    .id = "cpu.tiles_unpacked",
    .name = "tiles, unpacked",
    .summary = "the matrix unit (AMX) on tiles of A where they lie and of B put in order at each use",
    .source = "Intel Architectures Optimization Reference Manual, chapter on AMX",
    .counterpart = "gpu.wmma",
    .packs = false,
    .multiply = multiply};

}  // namespace GEMMLAB_MATRIX_NAMESPACE
