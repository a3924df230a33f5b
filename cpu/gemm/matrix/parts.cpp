#include "cpu/gemm/matrix/parts.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

using Words = std::uint32_t __attribute__((vector_size(64)));
using Line = std::uint32_t __attribute__((vector_size(64), may_alias));

/// Takes from x its next part: the upper half of a float, rounded to nearest, ties to even.
GEMMLAB_TILE Words next_part(Floats& x) {
  const Words bits = reinterpret_cast<Words>(x);
  const Words part = (bits + 0x7fffU + ((bits >> 16) & 1U)) & 0xffff0000U;
  x -= reinterpret_cast<Floats>(part);
  return part;
}

/// One line of each part: terms of x in the lower halves, of y in the upper ones.
GEMMLAB_TILE void store_line(Floats x, Floats y, char* to) {
  constexpr std::int64_t kPlaces[] = {kHi, kMid, kLo};
  for (const std::int64_t place : kPlaces) {
    const Words lower = next_part(x) >> 16;
    *reinterpret_cast<Line*>(to + place) = lower | next_part(y);
  }
}

/// What each lane has met.
struct Seen {
  Words most = {};
  Words least_less_1 = ~Words{};
  Words not_zero = {};

  GEMMLAB_TILE void meet(Seen& seen, const Floats& values) {
    const Words size = reinterpret_cast<Words>(values) & 0x7fffffffU;
    const Words less = size - 1U;  // of zero the largest there is
    seen.most = size > seen.most ? size : seen.most;
    seen.not_zero += size != 0U ? Words{} + 1U : Words{};
    seen.least_less_1 = less < seen.least_less_1 ? less : seen.least_less_1;
  }
  GEMMLAB_TILE void tell(const Seen& seen, Range* range) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      if (seen.most[lane] > range->most) range->most = seen.most[lane];
      range->not_zero += seen.not_zero[lane];
      if (seen.least_less_1[lane] < range->least_less_1) range->least_less_1 = seen.least_less_1[lane];
    }
  }
};

/// Sixteen elements of a row, zeros beyond the edges.
GEMMLAB_TILE void load(const Stored& matrix, std::int64_t row, std::int64_t col, Floats* values) {
  const std::int64_t left = row < matrix.rows ? matrix.cols - col : 0;
  const float* from = matrix.first + row * matrix.cols + col;
  if (left >= kLanes) {
    *values = *reinterpret_cast<const UnalignedFloats*>(from);
    return;
  }
  *values = Floats{};
  for (std::int64_t lane = 0; lane < left; ++lane) (*values)[lane] = from[lane];
}

void split_rows(const Stored& a, std::int64_t row, std::int64_t k, std::int64_t steps, float factor, char* to,
                Range* seen) {
  Seen met;
  for (std::int64_t i = 0; i < kPanel; ++i) {
    for (std::int64_t step = 0; step < steps; ++step) {
      Floats x, y;
      load(a, row + i, k + step * kStep, &x);
      load(a, row + i, k + step * kStep + kLanes, &y);
      Seen::meet(met, x);
      Seen::meet(met, y);
      store_line(x * factor, y * factor, to + step * kStepBytes + i * 64);
    }
  }
  Seen::tell(met, seen);
}

void split_columns(const Stored& b, std::int64_t k, std::int64_t col, std::int64_t panels, float factor,
                   char* to, std::int64_t panel_bytes, Range* seen) {
  Seen met;
  for (std::int64_t i = 0; i < kLanes; ++i) {
    for (std::int64_t tile = 0; tile < 2 * panels; ++tile) {
      Floats x, y;
      load(b, k + i, col + tile * kLanes, &x);
      load(b, k + i + kLanes, col + tile * kLanes, &y);
      Seen::meet(met, x);
      Seen::meet(met, y);
      store_line(x * factor, y * factor, to + tile / 2 * panel_bytes + tile % 2 * kTileBytes + i * 64);
    }
  }
  Seen::tell(met, seen);
}

void look_at(const Stored& matrix, std::int64_t begin, std::int64_t end, Range* seen) {
  Seen met;
  for (std::int64_t row = begin; row < end; ++row) {
    for (std::int64_t col = 0; col < matrix.cols; col += kLanes) {
      Floats values;
      load(matrix, row, col, &values);
      Seen::meet(met, values);
    }
  }
  Seen::tell(met, seen);
}

}  // namespace GEMMLAB_MATRIX_NAMESPACE
