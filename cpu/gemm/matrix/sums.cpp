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

/// Sums of some terms in tiles 0 to 3.
static void sum_products(const char* a, const char* b, std::int64_t steps, bool careful) {
  clear_tile<0>();
  clear_tile<1>();
  clear_tile<2>();
  clear_tile<3>();
  const std::int64_t bytes = steps * kStepBytes;
  if (!careful) {
    load_a(a + kLo);
    load_b(b + kHi);
    for (std::int64_t at = 0; at < bytes; at += kStepBytes) {
      const std::int64_t next = at + kStepBytes < bytes ? at + kStepBytes : at;
      multiply_six(a + at, b + at, a + next, b + next);
    }
    return;
  }
  for (std::int64_t at = 0; at < bytes; at += kStepBytes) multiply_seven(a + at, b + at);
  for (std::int64_t at = 0; at < bytes; at += kStepBytes) multiply_leading(a + at, b + at);
}

constexpr std::int64_t kTileSums = 256;  // 16 rows of 16

static void ask_for_rows(const float* first, const Place& place) {
  for (std::int64_t row = 0; row < place.rows; ++row) {
    __builtin_prefetch(first + row * place.stride, 1);
    __builtin_prefetch(first + row * place.stride + place.cols - 1, 1);
  }
}

void ask_for(const Place& place) {
  ask_for_rows(place.c, place);
  if (place.left_out != nullptr) ask_for_rows(place.left_out, place);
}

struct Overwrite {
  GEMMLAB_TILE void write(float* c, float*, float sum) { *c = sum; }
};
struct Add {
  GEMMLAB_TILE void write(float* c, float*, float sum) { *c += sum; }
};
/// Overwrites, and nothing is left out so far.
struct Begin {
  GEMMLAB_TILE void write(float* c, float* left_out, float sum) {
    *c = sum;
    *left_out = 0;
  }
};
/// What rounding leaves out goes into the next addition (Fast2Sum; Dekker 1971), so that a long K adds up no
/// roundings.
struct Carry {
  GEMMLAB_TILE void write(float* c, float* left_out, float sum) {
    const float part = sum + *left_out;
    const float added = *c + part;
    *left_out = part - (added - *c);
    *c = added;
  }
};

template <typename How>
static void write_rows(const float* sums, const Unscale& unscale, const Place& place) {
  for (std::int64_t row = 0; row < place.rows; ++row) {
    const float* left = sums + row / 16 * 2 * kTileSums + row % 16 * 16;
    const float* right = left + kTileSums;
    float* __restrict c = place.c + row * place.stride;
    float* out = place.left_out == nullptr ? c : place.left_out + row * place.stride;
    const auto write = [&](std::int64_t col, const float* from) {
      How::write(c + col, out + col, *from * unscale.first * unscale.second);
    };
    if (place.cols == kPanel) {
      for (std::int64_t col = 0; col < 16; ++col) write(col, left + col);
      for (std::int64_t col = 0; col < 16; ++col) write(col + 16, right + col);
    } else {
      for (std::int64_t col = 0; col < smaller(place.cols, 16); ++col) write(col, left + col);
      for (std::int64_t col = 16; col < place.cols; ++col) write(col, right + col - 16);
    }
  }
}

/// To C, from tiles 0 to 3.
static void write_sums(const Unscale& unscale, const Place& place, bool first) {
  alignas(64) float sums[4 * kTileSums];
  store_tile<0>(sums);
  store_tile<1>(sums + kTileSums);
  store_tile<2>(sums + 2 * kTileSums);
  store_tile<3>(sums + 3 * kTileSums);
  if (place.left_out != nullptr) {
    (first ? write_rows<Begin> : write_rows<Carry>)(sums, unscale, place);
  } else {
    (first ? write_rows<Overwrite> : write_rows<Add>)(sums, unscale, place);
  }
}

void sum_panels(const char* a, const char* b, std::int64_t steps, bool careful, const Unscale& unscale,
                const Place& place, bool first) {
  sum_products(a, b, steps, careful);
  write_sums(unscale, place, first);
}

}  // namespace GEMMLAB_MATRIX_NAMESPACE
