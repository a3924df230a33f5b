#include "cpu/gemm/matrix/digit_sums.h"

#if defined(__AVX512DQ__)
#include <immintrin.h>
#endif

#include "cpu/gemm/matrix/to_c.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

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
#if defined(__AVX512DQ__)
    return _mm512_insertf32x8(_mm512_castps256_ps512(left), right, 1);
#else  // where tiles are emulated
    Floats both;
    __builtin_memcpy(&both, &left, sizeof left);
    __builtin_memcpy(reinterpret_cast<char*>(&both) + sizeof left, &right, sizeof right);
    return both;
#endif
  }
};

void finish(PendingDigits* pending) {
  write_some(pending, kPanel);
}

void sum_digits(const char* a, const char* b, std::int64_t steps, const Undo& undo, const Place& place,
                bool first, const Ahead& ahead, PendingDigits* pending) {
  Meanwhile also = {pending, place,       kPanel / steps + 1, kPanel / steps + 1,
                    0,       ahead.first, ahead.bytes_a_step};
  sum_weight<2>(a, b, steps, &also);
  write_some(pending, kPanel);
  store_weight(pending->sums[2]);
  sum_weight<1>(a, b, steps, nullptr);
  store_weight(pending->sums[1]);
  sum_weight<0>(a, b, steps, nullptr);
  store_weight(pending->sums[0]);
  pending->write = row_writer<DigitSums, PendingDigits>(place, first);
  pending->place = place;
  pending->undo = undo;
  pending->row = 0;
  pending->rows = place.rows;
}

}  // namespace GEMMLAB_MATRIX_NAMESPACE
