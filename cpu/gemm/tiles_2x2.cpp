// C = A·B on the matrix unit, 2×2 tiles of C at a time.
//
// The change: of the eight tile registers four hold sums, 32×32 elements of C, two hold A's tiles and two B's. Each tile that is loaded
// serves two products: four loads for four products instead of eight. Four chains of sums also keep the unit busy, whose product takes 52
// cycles from start to end and can begin every 16.
//
// Limit: four loads from L1 take 32 of the 64 cycles of four products. But nothing is blocked for the caches: all of B passes by for each 32 rows of A.

#include "cpu/gemm/typed/method.h"
#include "cpu/gemm/typed/panels.h"
#include "cpu/gemm/typed/to_c.h"
#include "cpu/gemm/typed/unit_types.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

/// 32×32 elements of C, of a panel of A and one of B: tiles 0 to 3 are the sums, row by row; 4 and 5 hold A's, 6 and 7 B's.
template <typename Unit>
static void multiply_panels(const TypedProduct& p, std::int64_t row, std::int64_t col, WriteTile* write) {
  const std::int64_t panel_bytes = steps_of<typename Unit::Element>(p.k) * kPanelStepBytes;
  const char* a = p.panels_a + row / kPanel * panel_bytes;
  const char* b = p.panels_b + col / kPanel * panel_bytes;
  clear_tile<0>();
  clear_tile<1>();
  clear_tile<2>();
  clear_tile<3>();
  for (std::int64_t at = 0; at < panel_bytes; at += kPanelStepBytes) {
    load_tile<4>(a + at);
    load_tile<6>(b + at);
    Unit::template multiply<0, 4, 6>();
    load_tile<7>(b + at + kTileBytes);
    Unit::template multiply<1, 4, 7>();
    load_tile<5>(a + at + kTileBytes);
    Unit::template multiply<2, 5, 6>();
    Unit::template multiply<3, 5, 7>();
  }
  alignas(64) char sums[4 * kTileBytes];
  store_tile<0>(sums);
  store_tile<1>(sums + kTileBytes);
  store_tile<2>(sums + 2 * kTileBytes);
  store_tile<3>(sums + 3 * kTileBytes);
  write_panel(p, write, sums, row, col);
}

static int multiply(const TypedProduct& p) {
  WriteTile* write = writer_of(p);
  return on_unit(p, [&](auto unit) {
    using Unit = decltype(unit);
    return each_part<Unit, kPanel>(
        p, [&](std::int64_t row, std::int64_t col) { multiply_panels<Unit>(p, row, col, write); });
  });
}

extern const TypedMethod tiles_2x2 = {
    .id = "cpu.tiles_2x2",
    .name = "tiles 2×2",
    .summary = "the matrix unit on packed tiles, 2×2 tiles of C at a time, each tile loaded for two products",
    .source = "Intel Architectures Optimization Reference Manual, chapter on AMX",
    .counterpart = "gpu.mma_swizzled",
    .packs = true,
    .multiply = multiply};

}  // namespace GEMMLAB_MATRIX_NAMESPACE
