#pragma once

// The pieces of A and B that are a card's own, and where they come from.

#include "gpu/device/device.h"
#include "gpu/gemm/multi/on_card.h"
#include "gpu/gemm/multi/split.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {

/// A, B and C lie in its memory.
inline constexpr int kCardOfOperands = 0;

/// Where a card's own pieces lie: rows of A, one behind the other, and columns of B, those of a step packed together (each
/// row of as many columns), the steps one behind the other.
struct OwnPieces {
  const float* a = nullptr;
  const float* b = nullptr;
};

/// Where columns of a piece of B begin.
inline std::int64_t at_columns(const Split& split, const Stretch& piece, const Stretch& cols) {
  return (cols.from - piece.from) * split.shape().k;
}

/// Memory for the pieces that are the current card's own. On the first card they stay where they lie, its rows of A always, and B
/// if it is needed as a whole.
class PieceMemory {
 public:
  PieceMemory(const Split& split, int card);
  OwnPieces pieces(const Split& split, const OperandPair& source) const;
  /// Copies what comes in a step, in a stream of the card.
  void fill(const Split& split, int step, const OperandPair& source, cudaStream_t stream) const;

 private:
  int card_;
  bool a_in_place_;
  bool b_in_place_;
  DeviceMemory a_;
  DeviceMemory b_;
};

}  // namespace gemmlab::gpu
