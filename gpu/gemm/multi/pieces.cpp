#include "gpu/gemm/multi/pieces.h"

namespace gemmlab::gpu {

PieceMemory::PieceMemory(const Split& split, int card)
    : card_(card),
      a_in_place_(card == kCardOfOperands),
      b_in_place_(card == kCardOfOperands && split.steps() == 1 &&
                  split.b_piece(card).count == split.shape().n),
      a_(a_in_place_ ? 0 : bytes_of(split.a_piece(card).count * split.shape().k)),
      b_(b_in_place_ ? 0 : bytes_of(split.b_piece(card).count * split.shape().k)) {}

OwnPieces PieceMemory::pieces(const Split& split, const OperandPair& source) const {
  return {a_in_place_ ? source.a + split.a_piece(card_).from * split.shape().k : a_.floats(),
          b_in_place_ ? source.b : b_.floats()};
}

void PieceMemory::fill(const Split& split, int step, const OperandPair& source, cudaStream_t stream) const {
  const Shape& shape = split.shape();
  const Stretch rows = split.a_part(card_, step);
  const Stretch cols = split.b_part(card_, step);
  if (!a_in_place_) {
    float* const to = a_.floats() + (rows.from - split.a_piece(card_).from) * shape.k;
    copy_rows({to, shape.k, card_}, {source.a + rows.from * shape.k, shape.k, kCardOfOperands}, rows.count,
              shape.k, stream);
  }
  if (!b_in_place_) {
    float* const to = b_.floats() + at_columns(split, split.b_piece(card_), cols);
    copy_rows({to, cols.count, card_}, {source.b + cols.from, shape.n, kCardOfOperands}, shape.k, cols.count,
              stream);
  }
}

}  // namespace gemmlab::gpu
