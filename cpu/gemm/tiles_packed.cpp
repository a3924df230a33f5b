// C = A·B on the matrix unit, operands packed first.
//
// The change: all of A and B is copied once into tiles of 1,024 bytes one behind another (typed/panels.h), B's words in order, edges filled up
// with zeros, transposes turned on the way. So a tile is 16 adjacent lines, and B is put in order once instead of once for every 16 rows of C.
//
// Limit: still two tiles loaded for each product: 32 lines at two a cycle are the 16 cycles that the product takes, if all lie in L1.

#include "cpu/gemm/typed/method.h"
#include "cpu/gemm/typed/panels.h"
#include "cpu/gemm/typed/to_c.h"
#include "cpu/gemm/typed/unit_types.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

/// 16×16 elements of C, of a line of tiles of A and one of B.
template <typename Unit>
static void multiply_tile(const TypedProduct& p, std::int64_t row, std::int64_t col, WriteTile* write) {
  const std::int64_t steps = steps_of<typename Unit::Element>(p.k);
  const auto tiles = [&](const char* panels, std::int64_t line) {
    return panels + line / kPanel * steps * kPanelStepBytes + line % kPanel / kLines * kTileBytes;
  };
  const char* a = tiles(p.panels_a, row);
  const char* b = tiles(p.panels_b, col);
  clear_tile<0>();
  for (std::int64_t step = 0; step < steps; ++step) {
    load_tile<1>(a + step * kPanelStepBytes);
    load_tile<2>(b + step * kPanelStepBytes);
    Unit::template multiply<0, 1, 2>();
  }
  alignas(64) char sums[kTileBytes];
  store_tile<0>(sums);
  write(p, sums, row, col);
}

static int multiply(const TypedProduct& p) {
  WriteTile* write = writer_of(p);
  return on_unit(p, [&](auto unit) {
    using Unit = decltype(unit);
    return each_part<Unit, kLines>(
        p, [&](std::int64_t row, std::int64_t col) { multiply_tile<Unit>(p, row, col, write); });
  });
}

extern const TypedMethod tiles_packed = {
    .id = "cpu.tiles_packed",
    .name = "tiles, packed",
    .summary = "the matrix unit on A and B copied into tiles first",
    .source = "Intel Architectures Optimization Reference Manual, chapter on AMX",
    .counterpart = "gpu.mma_sync",
    .packs = true,
    .multiply = multiply};

}  // namespace GEMMLAB_MATRIX_NAMESPACE
