#include "cpu/gemm/matrix/split_digits.h"

#include "core/rounding.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

using Words = std::uint32_t __attribute__((vector_size(64)));
using Integers = std::int32_t __attribute__((vector_size(64)));
using Line = std::uint32_t __attribute__((vector_size(64), may_alias));

/// Largest magnitudes and sums of magnitudes, lane by lane.
struct Sizes {
  Words largest = {};
  Floats total = {};

  GEMMLAB_TILE void take(Sizes& sizes, const Floats& values) {
    const Words size = reinterpret_cast<Words>(values) & 0x7fffffffU;
    sizes.largest = size > sizes.largest ? size : sizes.largest;
    sizes.total += reinterpret_cast<Floats>(size);
  }
};

/// Sixteen elements as integers, rounded to nearest, ties to even: 2²³ added to a magnitude leaves no room for a fraction.
/// Half a unit added and the rest cut off is 1/4 too much on average for integers from 2²² on, of which FP32 has the halves: a
/// bias that no number of terms averages away where all are of one sign.
GEMMLAB_TILE Integers scaled(const Floats& values, const Floats& scale) {
  const Words whole = (reinterpret_cast<Words>(values) & 0x80000000U) | 0x4b000000U;
  const Floats shift = reinterpret_cast<Floats>(whole);
  return __builtin_convertvector(values * scale + shift - shift, Integers);
}

/// 1 where an integer is small.
GEMMLAB_TILE Words small(const Integers& value) {
  const Words shifted = reinterpret_cast<Words>(value) + kSmallDigits;
  return shifted <= 2 * kSmallDigits ? Words{} + 1U : Words{};
}

/// One line of each digit: of four terms in each lane.
GEMMLAB_TILE void store_digits(const Integers (&values)[4], char* to) {
  Words x[4];
  // 128 added to each digit leaves none negative; taken away again, that flips a byte's highest bit
  for (int term = 0; term < 4; ++term) x[term] = reinterpret_cast<Words>(values[term]) + 0x808080U;
  constexpr std::uint32_t kEach = 0x80808080U;
  const Words third = (x[0] & 0xffU) | (x[1] << 8 & 0xff00U) | (x[2] << 16 & 0xff0000U) | x[3] << 24;
  const Words second =
      (x[0] >> 8 & 0xffU) | (x[1] & 0xff00U) | (x[2] << 8 & 0xff0000U) | (x[3] << 16 & 0xff000000U);
  const Words first =
      (x[0] >> 16 & 0xffU) | (x[1] >> 8 & 0xff00U) | (x[2] & 0xff0000U) | (x[3] << 8 & 0xff000000U);
  *reinterpret_cast<Line*>(to) = first ^ kEach;
  *reinterpret_cast<Line*>(to + kPartBytes) = second ^ kEach;
  *reinterpret_cast<Line*>(to + 2 * kPartBytes) = third ^ kEach;
}

/// Sixteen elements of a row, zeros beyond the edges.
GEMMLAB_TILE Floats loaded(const Stored& matrix, std::int64_t row, std::int64_t col) {
  const std::int64_t left = row < matrix.rows ? matrix.cols - col : 0;
  const float* from = matrix.first + row * matrix.cols + col;
  if (left >= kLanes) return *reinterpret_cast<const UnalignedFloats*>(from);
  Floats values = {};
  for (std::int64_t lane = 0; lane < left; ++lane) values[lane] = from[lane];
  return values;
}

/// Notes a row of so many terms; returns its scale.
static float judge(std::uint32_t largest, float total, std::int64_t terms, double* undo, DigitRange* seen) {
  const float scale = scale_of_digits(largest);
  *undo = 1;
  if (scale == 0) {
    seen->beyond = true;
    return 1;
  }
  *undo = 1 / static_cast<double>(scale);
  if (largest == 0) return scale;
  const float mean = total * scale / static_cast<float>(terms);
  if (mean < seen->least_mean) seen->least_mean = mean;
  return scale;
}

GEMMLAB_TILE std::uint32_t added_up(const Words& values) {
  std::uint32_t sum = 0;
  for (std::int64_t lane = 0; lane < kLanes; ++lane) sum += values[lane];
  return sum;
}

GEMMLAB_TILE float judge_row(const Stored& a, std::int64_t row, double* undo, bool* zeros, DigitRange* seen) {
  Sizes sizes[4];
  for (std::int64_t k = 0; k < a.cols; k += kDigitStep) {
    for (int part = 0; part < 4; ++part) Sizes::take(sizes[part], loaded(a, row, k + part * kLanes));
  }
  std::uint32_t largest = 0;
  float total = 0;
  for (const Sizes& part : sizes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      if (part.largest[lane] > largest) largest = part.largest[lane];
      total += part.total[lane];
    }
  }
  *zeros = largest == 0;
  return judge(largest, total, a.cols, undo, seen);
}

void split_rows_into_digits(const Stored& a, std::int64_t row, char* to, double* undo, DigitRange* seen) {
  for (std::int64_t i = 0; i < kPanel; ++i) {
    bool zeros = false;
    const float factor = judge_row(a, row + i, undo + i, &zeros, seen);
    if (seen->beyond) return;
    const Floats scale = Floats{} + factor;
    Words count = {};
    for (std::int64_t k = 0; k < a.cols; k += kDigitStep) {
      Integers values[4];
      for (int part = 0; part < 4; ++part) {
        values[part] = scaled(loaded(a, row + i, k + part * kLanes), scale);
        count += small(values[part]);
      }
      store_digits(values, to + k / kDigitStep * kStepBytes + i * 64);
      // a segment that is not whole does not count: a short one after whole ones adds little
      if ((k + kDigitStep) % kSegment != 0 || k + kDigitStep > a.cols) continue;
      const std::uint32_t of_segment = added_up(count);
      if (!zeros && of_segment > seen->most_small) seen->most_small = of_segment;
      count = Words{};
    }
  }
}

/// Sixteen columns on the way to a tile.
struct Columns {
  Floats scale = {};
  Words not_zero = {};  ///< all bits
  Words count = {};
  Words most = {};
};

GEMMLAB_TILE void judge_columns(const Stored& b, std::int64_t col, std::int64_t tiles, Columns* columns,
                                double* undo, DigitRange* seen) {
  Sizes sizes[2 * kMostPanels];
  for (std::int64_t k = 0; k < b.rows; ++k) {
    for (std::int64_t tile = 0; tile < tiles; ++tile)
      Sizes::take(sizes[tile], loaded(b, k, col + tile * kLanes));
  }
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t largest = sizes[tile].largest[lane];
      columns[tile].scale[lane] =
          judge(largest, sizes[tile].total[lane], b.rows, undo + tile * kLanes + lane, seen);
      columns[tile].not_zero[lane] = largest != 0 ? 0xffffffffU : 0U;
    }
  }
}

void split_columns_into_digits(const Stored& b, std::int64_t col, std::int64_t panels, char* to,
                               std::int64_t panel_bytes, double* undo, DigitRange* seen) {
  Columns columns[2 * kMostPanels];
  const std::int64_t tiles = 2 * panels;
  judge_columns(b, col, tiles, columns, undo, seen);
  if (seen->beyond) return;
  for (std::int64_t k = 0; k < b.rows; k += kDigitStep) {
    char* const step = to + k / kDigitStep * kStepBytes;
    for (std::int64_t i = 0; i < kLanes; ++i) {
      for (std::int64_t tile = 0; tile < tiles; ++tile) {
        Integers values[4];
        for (int part = 0; part < 4; ++part) {
          values[part] = scaled(loaded(b, k + i + part * kLanes, col + tile * kLanes), columns[tile].scale);
          columns[tile].count += small(values[part]);
        }
        store_digits(values, step + tile / 2 * panel_bytes + tile % 2 * kTileBytes + i * 64);
      }
    }
    if ((k + kDigitStep) % kSegment != 0 || k + kDigitStep > b.rows) continue;
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      Columns& of = columns[tile];
      of.most = of.count > of.most ? of.count : of.most;
      of.count = Words{};
    }
  }
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    const Words most = columns[tile].most & columns[tile].not_zero;
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      if (most[lane] > seen->most_small) seen->most_small = most[lane];
    }
  }
}

}  // namespace GEMMLAB_MATRIX_NAMESPACE
