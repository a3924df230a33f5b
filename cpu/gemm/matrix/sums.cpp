#include "cpu/gemm/matrix/sums.h"

#include "cpu/gemm/matrix/to_c.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

// Tiles 0 to 3 are the sums of 32×32 elements of C, row by row; 4 and 5 hold A's, 6 and 7 B's.
GEMMLAB_TILE void multiply_four() {
  multiply_tiles<0, 4, 6>();
  multiply_tiles<1, 4, 7>();
  multiply_tiles<2, 5, 6>();
  multiply_tiles<3, 5, 7>();
}
GEMMLAB_TILE void load_a(const char* part) {
  load_tile<4>(part);
  load_tile<5>(part + kTileBytes);
}
GEMMLAB_TILE void load_b(const char* part) {
  load_tile<6>(part);
  load_tile<7>(part + kTileBytes);
}

// The products of a part of A and one of B, by register: each is loaded anew as soon as its last product is
// under way, two products before it is needed.
GEMMLAB_TILE void multiply_and_load_a(const char* next) {
  multiply_tiles<0, 4, 6>();
  multiply_tiles<1, 4, 7>();
  load_tile<4>(next);
  multiply_tiles<2, 5, 6>();
  multiply_tiles<3, 5, 7>();
  load_tile<5>(next + kTileBytes);
}
GEMMLAB_TILE void multiply_and_load_b(const char* next) {
  multiply_tiles<0, 4, 6>();
  multiply_tiles<2, 5, 6>();
  load_tile<6>(next);
  multiply_tiles<1, 4, 7>();
  multiply_tiles<3, 5, 7>();
  load_tile<7>(next + kTileBytes);
}

/// Asks the second-level cache for a part of A: B's panel is nearer.
GEMMLAB_TILE void ask_for_part(const char* part) {
  for (std::int64_t line = 0; line < kPartBytes; line += 64) __builtin_prefetch(part + line);
}

/// The six products of parts that reach 2⁻¹⁷ of a term, in an order in which one operand changes at a time:
/// 14 tiles are loaded for 24 products, those of the next step at the end.
GEMMLAB_TILE void multiply_six(const char* a, const char* b, const char* next_a, const char* next_b) {
  multiply_and_load_a(a + kMid);
  ask_for_part(next_a + kLo);
  multiply_and_load_b(b + kMid);
  ask_for_part(next_a + kMid);
  multiply_and_load_a(a + kHi);
  ask_for_part(next_a + kHi);
  multiply_and_load_b(b + kLo);
  multiply_and_load_b(b + kHi);
  multiply_and_load_a(next_a + kLo);
  load_b(next_b + kHi);
}

/// Without hi·hi, whose 16 bits are to meet a small sum; with or without those of lo and mid.
GEMMLAB_TILE void multiply_small(const char* a, const char* b, bool smallest) {
  load_b(b + kLo);
  if (smallest) {
    load_a(a + kMid);
    multiply_four();
  }
  load_a(a + kHi);
  multiply_four();
  load_b(b + kMid);
  multiply_four();
  load_a(a + kMid);
  multiply_four();
  load_b(b + kHi);
  multiply_four();
  load_a(a + kLo);
  multiply_four();
  if (smallest) {
    load_b(b + kMid);
    multiply_four();
  }
}

GEMMLAB_TILE void multiply_leading(const char* a, const char* b) {
  load_a(a + kHi);
  load_b(b + kHi);
  multiply_four();
}

/// 16 sums of a row of pending ones.
struct FloatSums {
  GEMMLAB_TILE Floats at(const Pending& pending, std::int64_t row, std::int64_t col) {
    const float* from = pending.sums + (row / 16 * 2 + col / kLanes) * kTileSums + row % 16 * kLanes;
    return *reinterpret_cast<const UnalignedFloats*>(from) * pending.unscale.first * pending.unscale.second;
  }
};

void finish(Pending* pending) {
  write_some(pending, kPanel);
}

/// From tiles 0 to 3.
static void leave_sums(const Unscale& unscale, const Place& place, bool first, Pending* pending) {
  store_tile<0>(pending->sums);
  store_tile<1>(pending->sums + kTileSums);
  store_tile<2>(pending->sums + 2 * kTileSums);
  store_tile<3>(pending->sums + 3 * kTileSums);
  pending->write = row_writer<FloatSums, Pending>(place, first);
  pending->place = place;
  pending->unscale = unscale;
  pending->row = 0;
  pending->rows = place.rows;
}

/// Sums of some terms in tiles 0 to 3.
static void sum_products(const char* a, const char* b, std::int64_t steps, PartProducts products,
                         const Place& place, const Ahead& ahead, Pending* pending) {
  clear_tile<0>();
  clear_tile<1>();
  clear_tile<2>();
  clear_tile<3>();
  const std::int64_t bytes = steps * kStepBytes;
  const std::int64_t rows_a_step = kPanel / steps + 1;
  if (products == PartProducts::kSix) {
    load_a(a + kLo);
    load_b(b + kHi);
    const char* asked = ahead.first;
    std::int64_t row = 0;
    for (std::int64_t at = 0; at < bytes; at += kStepBytes) {
      const std::int64_t next = at + kStepBytes < bytes ? at + kStepBytes : at;
      multiply_six(a + at, b + at, a + next, b + next);
      write_some(pending, rows_a_step);
      ask_for_rows(place, row, smaller(row + rows_a_step, place.rows));
      row += rows_a_step;
      for (std::int64_t line = 0; line < ahead.bytes_a_step; line += 64)
        __builtin_prefetch(asked + line, 0, 2);
      asked += ahead.bytes_a_step;
    }
    return;
  }
  for (std::int64_t at = 0; at < bytes; at += kStepBytes) {
    multiply_small(a + at, b + at, products == PartProducts::kEight);
    write_some(pending, rows_a_step);
  }
  for (std::int64_t at = 0; at < bytes; at += kStepBytes) multiply_leading(a + at, b + at);
}

void sum_panels(const char* a, const char* b, std::int64_t steps, PartProducts products,
                const Unscale& unscale, const Place& place, bool first, const Ahead& ahead,
                Pending* pending) {
  sum_products(a, b, steps, products, place, ahead, pending);
  leave_sums(unscale, place, first, pending);
}

}  // namespace GEMMLAB_MATRIX_NAMESPACE
