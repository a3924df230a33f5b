#pragma once

// Sums of the matrix unit on their way to C.

#include "cpu/gemm/matrix/sums.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

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

/// Some rows of pending sums; `Sums` has 16 of them as floats.
template <typename How, typename Sums, typename Pending>
static void write_rows(const Pending& pending, std::int64_t begin, std::int64_t end) {
  const Place place = pending.place;
  for (std::int64_t row = begin; row < end; ++row) {
    float* c = place.c + row * place.stride;
    float* out = place.left_out == nullptr ? c : place.left_out + row * place.stride;
    for (std::int64_t col = 0; col < place.cols; col += kLanes) {
      const Floats sum = Sums::at(pending, row, col);
      if (place.cols - col >= kLanes) {
        How::write(*reinterpret_cast<UnalignedFloats*>(c + col),
                   *reinterpret_cast<UnalignedFloats*>(out + col), UnalignedFloats(sum));
        continue;
      }
      for (std::int64_t lane = 0; lane < place.cols - col; ++lane)
        How::write(c[col + lane], out[col + lane], sum[lane]);
    }
  }
}

template <typename Sums, typename Pending>
GEMMLAB_TILE auto row_writer(const Place& place, bool first) {
  if (place.left_out != nullptr)
    return first ? write_rows<Begin, Sums, Pending> : write_rows<Carry, Sums, Pending>;
  return first ? write_rows<Overwrite, Sums, Pending> : write_rows<Add, Sums, Pending>;
}

template <typename Pending>
GEMMLAB_TILE void write_some(Pending* pending, std::int64_t rows) {
  if (pending->row >= pending->rows) return;
  const std::int64_t end = smaller(pending->row + rows, pending->rows);
  pending->write(*pending, pending->row, end);
  pending->row = end;
}

}  // namespace GEMMLAB_MATRIX_NAMESPACE
