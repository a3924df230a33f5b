// nvcuda::wmma: products of a warp whose lanes hold the elements as WmmaLayout says; and floats of 8 bits.

#include <vector>

#include "emulator/include/cuda_fp8.h"
#include "emulator/include/cuda_runtime.h"
#include "emulator/include/mma.h"
#include "emulator/runtime/ptx/program.h"
#include "emulator/runtime/run.h"
#include "emulator/runtime/tensor_sums.h"

namespace gemmlab::emulation {
namespace {

constexpr int kMost = 32 * 16;  ///< elements of A or B
constexpr int kMostOfD = 256;

struct Call {
  WmmaPiece piece;
  int rows, columns, terms, bits;
};

/// A matrix of a product, row by row, and how it lies in memory.
struct Whole {
  int rows, columns;
  bool by_rows;
  WmmaLayout layout;

  /// Calls each(lane, i, where) for every element.
  template <typename Each>
  void each(const Each& each) const {
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int i = 0; i < rows * columns / kLanes; ++i) {
        const int row = layout.row(lane, i), column = layout.column(lane, i);
        each(lane, i, by_rows ? row * columns + column : column * columns + row);
      }
    }
  }
};
Whole operand(int rows, int columns, bool by_rows, int bits) {
  return {rows, columns, by_rows, wmma_operand(by_rows ? columns : rows, bits / 8)};
}

/// Every lane's elements, in the order of the matrix; `get` says where a lane has its own.
template <typename T, typename Get>
void gather(void* const* lanes, T* to, const Whole& matrix, const Get& get) {
  matrix.each([&](int lane, int i, int where) {
    const auto* call = static_cast<const Call*>(lanes[lane]);
    to[where] = call == nullptr ? T() : static_cast<const T*>(get(call->piece))[i];
  });
}

template <typename T, typename Sum>
void multiply(void* const* lanes, const Sum& sum) {
  const Call* like = nullptr;
  for (int lane = 0; lane < kLanes && like == nullptr; ++lane) like = static_cast<const Call*>(lanes[lane]);
  const int rows = like->rows, columns = like->columns, terms = like->terms;
  run().count_products({false, like->bits}, static_cast<std::uint64_t>(rows) * columns * terms);
  static T a[kMost], b[kMost], turned[kMost], d[kMostOfD];
  const Whole of_d = {rows, columns, true, wmma_sums(columns)};
  gather(lanes, a, operand(rows, terms, like->piece.a_by_rows, like->bits),
         [](const WmmaPiece& piece) { return piece.a; });
  gather(lanes, b, operand(terms, columns, like->piece.b_by_rows, like->bits),
         [](const WmmaPiece& piece) { return piece.b; });
  gather(lanes, d, of_d, [](const WmmaPiece& piece) { return piece.c; });
  for (int term = 0; term < terms; ++term) {
    for (int col = 0; col < columns; ++col) turned[col * terms + term] = b[term * columns + col];
  }
  sum(*like, d, a, turned);
  of_d.each([&](int lane, int i, int where) {
    const auto* call = static_cast<const Call*>(lanes[lane]);
    if (call != nullptr) static_cast<T*>(call->piece.d)[i] = d[where];
  });
}

void multiply_floats(void* const* lanes) {
  multiply<float>(lanes, [](const Call& call, float* d, const float* a, const float* b) {
    tensor_sums(d, a, b, call.rows, call.columns, call.terms, sum_of_warp(call.bits, call.terms));
  });
}
void multiply_integers(void* const* lanes) {
  multiply<std::int32_t>(
      lanes, [](const Call& call, std::int32_t* d, const std::int32_t* a, const std::int32_t* b) {
        for (int i = 0; i < call.rows * call.columns; ++i) {
          std::int64_t sum = d[i];
          for (int k = 0; k < call.terms; ++k)
            sum += std::int64_t{a[i / call.columns * call.terms + k]} * b[i % call.columns * call.terms + k];
          d[i] = static_cast<std::int32_t>(sum);
        }
      });
}
void nothing(void* const*) {}

void by_all(const void* place, void (*work)(void* const*), void* brought) {
  if (current == nullptr) return;
  current->place = place_of(place);
  run().together(kWholeWarp, work, brought);
}

}  // namespace

unsigned char fp8_bits(double value, bool e4m3, bool saturates) {
  const double largest = e4m3 ? 448 : 57344;
  if (saturates && std::fabs(value) > largest) value = std::copysign(largest, value);
  return static_cast<unsigned char>(ptx::as_bits(value, {e4m3 ? '4' : '5', 8, 1}));
}
float fp8_value(unsigned char bits, bool e4m3) {
  return static_cast<float>(ptx::as_number(bits, {e4m3 ? '4' : '5', 8, 1}));
}

void wmma_floats(const WmmaPiece& piece, int rows, int columns, int terms, int bits) {
  Call call = {piece, rows, columns, terms, bits};
  by_all(__builtin_return_address(0), multiply_floats, &call);
}
void wmma_integers(const WmmaPiece& piece, int rows, int columns, int terms) {
  Call call = {piece, rows, columns, terms, 8};
  by_all(__builtin_return_address(0), multiply_integers, &call);
}
void wmma_together() {
  by_all(__builtin_return_address(0), nothing, nullptr);
}

}  // namespace gemmlab::emulation
