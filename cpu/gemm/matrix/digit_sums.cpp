#include "cpu/gemm/matrix/digit_sums.h"

#include "cpu/gemm/matrix/to_c.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

/// Where a digit's tile lies in a step: of A's upper or lower 16 rows, of B's left or right 16 columns.
constexpr std::int64_t tile_at(std::int64_t digit, std::int64_t half) {
  return digit * kPartBytes + half * kTileBytes;
}

template <std::int64_t kDigit, std::int64_t kHalf>
GEMMLAB_TILE void load_into_6(const char* step) {
  load_tile<6>(step + tile_at(kDigit, kHalf));
}
template <std::int64_t kDigit, std::int64_t kHalf>
GEMMLAB_TILE void load_into_7(const char* step) {
  load_tile<7>(step + tile_at(kDigit, kHalf));
}

/// The six products of 64 terms for 16×32 elements. Tiles 0 and 1 are the sums of weight 2³², 2 and 3 of 2²⁴, 4 and 5
/// of 2¹⁶; 6 holds A's digits, 7 B's. Loads 13 tiles for 12 products, and comes back to a sum after four
/// products, as the unit takes that long for one.
template <std::int64_t kHalf>
GEMMLAB_TILE void multiply_narrow(const char* a, const char* b) {
  load_into_6<2, kHalf>(a);
  load_into_7<0, 0>(b);
  multiply_digits<4, 6, 7>();
  load_into_7<0, 1>(b);
  multiply_digits<5, 6, 7>();
  load_into_6<1, kHalf>(a);
  multiply_digits<3, 6, 7>();
  load_into_7<0, 0>(b);
  multiply_digits<2, 6, 7>();
  load_into_7<1, 0>(b);
  multiply_digits<4, 6, 7>();
  load_into_7<1, 1>(b);
  multiply_digits<5, 6, 7>();
  load_into_6<0, kHalf>(a);
  multiply_digits<3, 6, 7>();
  load_into_7<1, 0>(b);
  multiply_digits<2, 6, 7>();
  load_into_7<2, 0>(b);
  multiply_digits<4, 6, 7>();
  load_into_7<2, 1>(b);
  multiply_digits<5, 6, 7>();
  load_into_7<0, 1>(b);
  multiply_digits<1, 6, 7>();
  load_into_7<0, 0>(b);
  multiply_digits<0, 6, 7>();
}

/// What else is done in a step: sums of before are written, C and what comes next are asked for.
struct Meanwhile {
  PendingDigits* pending;
  const Place& place;
  std::int64_t write_rows;
  std::int64_t ask_rows;
  std::int64_t asked_row;
  const char* asked;
  std::int64_t asked_bytes;

  GEMMLAB_TILE void go_on(Meanwhile& also) {
    write_some(also.pending, also.write_rows);
    if (also.asked_row < also.place.rows) {
      ask_for_rows(also.place, also.asked_row, smaller(also.asked_row + also.ask_rows, also.place.rows));
      also.asked_row += also.ask_rows;
    }
    for (std::int64_t line = 0; line < also.asked_bytes; line += 64)
      __builtin_prefetch(also.asked + line, 0, 2);
    also.asked += also.asked_bytes;
  }
};

template <std::int64_t kHalf>
GEMMLAB_TILE void ask_for_half(const char* step) {
  for (std::int64_t digit = 0; digit < kDigits; ++digit) {
    for (std::int64_t line = 0; line < kTileBytes; line += 64)
      __builtin_prefetch(step + tile_at(digit, kHalf) + line);
  }
}

/// The 16 upper or lower rows.
template <std::int64_t kHalf>
GEMMLAB_TILE void sum_half(const char* a, const char* b, std::int64_t steps, Meanwhile& also) {
  clear_tile<0>();
  clear_tile<1>();
  clear_tile<2>();
  clear_tile<3>();
  clear_tile<4>();
  clear_tile<5>();
  for (std::int64_t step = 0; step < steps; ++step) {
    const char* const at = a + step * kStepBytes;
    if (step + 1 < steps) {
      ask_for_half<kHalf>(at + kStepBytes);
    } else if (kHalf == 0) {
      ask_for_half<1>(a);
    }
    multiply_narrow<kHalf>(at, b + step * kStepBytes);
    Meanwhile::go_on(also);
  }
}

template <std::int64_t kHalf>
GEMMLAB_TILE void store_half(PendingDigits* pending) {
  constexpr std::int64_t kAt = kHalf * 2 * kTileSums;
  store_tile<0>(pending->sums[0] + kAt);
  store_tile<1>(pending->sums[0] + kAt + kTileSums);
  store_tile<2>(pending->sums[1] + kAt);
  store_tile<3>(pending->sums[1] + kAt + kTileSums);
  store_tile<4>(pending->sums[2] + kAt);
  store_tile<5>(pending->sums[2] + kAt + kTileSums);
}

/// Four sums of one weight: tiles 0 to 3; 4 and 5 hold A's digits, 6 and 7 B's, each loaded anew as soon as its
/// last product is under way.
GEMMLAB_TILE void multiply_and_load(const char* next_a, const char* next_b) {
  multiply_digits<0, 4, 6>();
  multiply_digits<1, 4, 7>();
  load_tile<4>(next_a);
  multiply_digits<2, 5, 6>();
  load_tile<6>(next_b);
  multiply_digits<3, 5, 7>();
  load_tile<5>(next_a + kTileBytes);
  load_tile<7>(next_b + kTileBytes);
}

template <std::int64_t kOrder>
GEMMLAB_TILE void sum_weight(const char* a, const char* b, std::int64_t steps, Meanwhile* also) {
  clear_tile<0>();
  clear_tile<1>();
  clear_tile<2>();
  clear_tile<3>();
  // A's digit falls while B's rises
  const char* first_a = a + kOrder * kPartBytes;
  load_tile<4>(first_a);
  load_tile<5>(first_a + kTileBytes);
  load_tile<6>(b);
  load_tile<7>(b + kTileBytes);
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t at = step * kStepBytes;
    const std::int64_t next = step + 1 < steps ? at + kStepBytes : at;
#pragma GCC unroll 3
    for (std::int64_t of_b = 1; of_b <= kOrder; ++of_b)
      multiply_and_load(a + at + (kOrder - of_b) * kPartBytes, b + at + of_b * kPartBytes);
    multiply_and_load(first_a + next, b + next);
    if (also != nullptr) Meanwhile::go_on(*also);
  }
}

GEMMLAB_TILE void store_weight(std::int32_t* sums) {
  store_tile<0>(sums);
  store_tile<1>(sums + kTileSums);
  store_tile<2>(sums + 2 * kTileSums);
  store_tile<3>(sums + 3 * kTileSums);
}

using Eight = std::int32_t __attribute__((vector_size(32), may_alias));
using Doubles = double __attribute__((vector_size(64)));
using UnalignedDoubles = double __attribute__((vector_size(64), aligned(8), may_alias));
using EightFloats = float __attribute__((vector_size(32)));

/// All that is summed of an element, rounded to FP32 at the end.
struct DigitSums {
  GEMMLAB_TILE EightFloats eight(const PendingDigits& pending, std::int64_t from, const Doubles& of_row,
                                 const double* of_cols) {
    const auto weighed = [&](int digit) __attribute__((always_inline)) {
      return __builtin_convertvector(*reinterpret_cast<const Eight*>(pending.sums[digit] + from), Doubles);
    };
    const Doubles sum = (weighed(0) * 256.0 + weighed(1)) * 256.0 + weighed(2);  // exact: of 53 bits
    return __builtin_convertvector(sum * of_row * *reinterpret_cast<const UnalignedDoubles*>(of_cols),
                                   EightFloats);
  }
  GEMMLAB_TILE Floats at(const PendingDigits& pending, std::int64_t row, std::int64_t col) {
    constexpr double kLeastWeight = 0x1p16;
    const std::int64_t from = (row / 16 * 2 + col / kLanes) * kTileSums + row % 16 * kLanes;
    const Doubles of_row = Doubles{} + pending.undo.rows[row] * kLeastWeight;
    const EightFloats left = eight(pending, from, of_row, pending.undo.cols + col);
    const EightFloats right = eight(pending, from + 8, of_row, pending.undo.cols + col + 8);
    return __builtin_shufflevector(left, right, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  }
};

void finish(PendingDigits* pending) {
  write_some(pending, kPanel);
}

void sum_digits(const char* a, const char* b, std::int64_t steps, DigitOrder order, const Undo& undo,
                const Place& place, bool first, const Ahead& ahead, PendingDigits* pending) {
  Meanwhile also = {pending, place,       kPanel / steps + 1, kPanel / steps + 1,
                    0,       ahead.first, ahead.bytes_a_step};
  if (order == DigitOrder::kTogether) {
    sum_half<0>(a, b, steps, also);
    write_some(pending, kPanel);
    store_half<0>(pending);
    also.asked_bytes = 0;
    sum_half<1>(a, b, steps, also);
    store_half<1>(pending);
  } else {
    sum_weight<2>(a, b, steps, &also);
    write_some(pending, kPanel);
    store_weight(pending->sums[2]);
    sum_weight<1>(a, b, steps, nullptr);
    store_weight(pending->sums[1]);
    sum_weight<0>(a, b, steps, nullptr);
    store_weight(pending->sums[0]);
  }
  pending->write = row_writer<DigitSums, PendingDigits>(place, first);
  pending->place = place;
  pending->undo = undo;
  pending->row = 0;
  pending->rows = place.rows;
}

}  // namespace GEMMLAB_MATRIX_NAMESPACE
