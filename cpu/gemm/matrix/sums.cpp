#include "cpu/gemm/matrix/sums.h"

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

/// All products but lo·lo and hi·hi, in such an order.
GEMMLAB_TILE void multiply_seven(const char* a, const char* b) {
  load_a(a + kMid);
  load_b(b + kLo);
  multiply_four();
  load_a(a + kHi);
  multiply_four();
  load_b(b + kMid);
  multiply_four();
  load_a(a + kMid);
  multiply_four();
  load_a(a + kLo);
  multiply_four();
  load_b(b + kHi);
  multiply_four();
  load_a(a + kMid);
  multiply_four();
}

GEMMLAB_TILE void multiply_leading(const char* a, const char* b) {
  load_a(a + kHi);
  load_b(b + kHi);
  multiply_four();
}

constexpr std::int64_t kTileSums = 256;  // 16 rows of 16

/// Asks the memory for some rows of C, to be there when the sums are. Each lies on a page of its own; all at
/// once they would keep the tiles' loads waiting.
GEMMLAB_TILE void ask_for_rows(const Place& place, std::int64_t begin, std::int64_t end) {
  for (std::int64_t row = begin; row < end; ++row) {
    const std::int64_t first = row * place.stride;
    __builtin_prefetch(place.c + first, 1);
    __builtin_prefetch(place.c + first + place.cols - 1, 1);
    if (place.left_out == nullptr) continue;
    __builtin_prefetch(place.left_out + first, 1);
    __builtin_prefetch(place.left_out + first + place.cols - 1, 1);
  }
}

// What becomes of C's elements, 16 at a time or one by one.
struct Overwrite {
  template <typename Value>
  GEMMLAB_TILE void write(Value& c, Value&, const Value& sum) {
    c = sum;
  }
};
struct Add {
  template <typename Value>
  GEMMLAB_TILE void write(Value& c, Value&, const Value& sum) {
    c += sum;
  }
};
/// Overwrites, and nothing is left out so far.
struct Begin {
  template <typename Value>
  GEMMLAB_TILE void write(Value& c, Value& left_out, const Value& sum) {
    c = sum;
    left_out = Value{};
  }
};
/// What rounding leaves out goes into the next addition (Fast2Sum; Dekker 1971), so that a long K adds up no
/// roundings.
struct Carry {
  template <typename Value>
  GEMMLAB_TILE void write(Value& c, Value& left_out, const Value& sum) {
    const Value part = sum + left_out;
    const Value before = c;
    const Value added = before + part;
    left_out = part - (added - before);
    c = added;
  }
};

template <typename How>
static void write_rows(const Pending& pending, std::int64_t begin, std::int64_t end) {
  const Place place = pending.place;
  const Unscale unscale = pending.unscale;
  for (std::int64_t row = begin; row < end; ++row) {
    const float* from = pending.sums + row / 16 * 2 * kTileSums + row % 16 * kLanes;
    float* c = place.c + row * place.stride;
    float* out = place.left_out == nullptr ? c : place.left_out + row * place.stride;
    for (std::int64_t col = 0; col < place.cols; col += kLanes, from += kTileSums) {
      if (place.cols - col >= kLanes) {
        const Floats sum = *reinterpret_cast<const UnalignedFloats*>(from) * unscale.first * unscale.second;
        How::write(*reinterpret_cast<UnalignedFloats*>(c + col),
                   *reinterpret_cast<UnalignedFloats*>(out + col), UnalignedFloats(sum));
        continue;
      }
      for (std::int64_t lane = 0; lane < place.cols - col; ++lane)
        How::write(c[col + lane], out[col + lane], from[lane] * unscale.first * unscale.second);
    }
  }
}

GEMMLAB_TILE void write_some(Pending* pending, std::int64_t rows) {
  if (pending->row >= pending->rows) return;
  const std::int64_t end = smaller(pending->row + rows, pending->rows);
  pending->write(*pending, pending->row, end);
  pending->row = end;
}

void finish(Pending* pending) {
  write_some(pending, kPanel);
}

/// From tiles 0 to 3.
static void leave_sums(const Unscale& unscale, const Place& place, bool first, Pending* pending) {
  store_tile<0>(pending->sums);
  store_tile<1>(pending->sums + kTileSums);
  store_tile<2>(pending->sums + 2 * kTileSums);
  store_tile<3>(pending->sums + 3 * kTileSums);
  pending->write = place.left_out != nullptr ? (first ? write_rows<Begin> : write_rows<Carry>)
                                             : (first ? write_rows<Overwrite> : write_rows<Add>);
  pending->place = place;
  pending->unscale = unscale;
  pending->row = 0;
  pending->rows = place.rows;
}

/// Sums of some terms in tiles 0 to 3.
static void sum_products(const char* a, const char* b, std::int64_t steps, bool careful, const Place& place,
                         const Ahead& ahead, Pending* pending) {
  clear_tile<0>();
  clear_tile<1>();
  clear_tile<2>();
  clear_tile<3>();
  const std::int64_t bytes = steps * kStepBytes;
  const std::int64_t rows_a_step = kPanel / steps + 1;
  if (!careful) {
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
    multiply_seven(a + at, b + at);
    write_some(pending, rows_a_step);
  }
  for (std::int64_t at = 0; at < bytes; at += kStepBytes) multiply_leading(a + at, b + at);
}

void sum_panels(const char* a, const char* b, std::int64_t steps, bool careful, const Unscale& unscale,
                const Place& place, bool first, const Ahead& ahead, Pending* pending) {
  sum_products(a, b, steps, careful, place, ahead, pending);
  leave_sums(unscale, place, first, pending);
}

}  // namespace GEMMLAB_MATRIX_NAMESPACE
