#include "gpu/gemm/multi/card.h"

#include <algorithm>
#include <stdexcept>

#include "gpu/check.h"

namespace gemmlab::gpu {
namespace {

constexpr int kCardOfOperands = 0;

std::size_t bytes_of(std::int64_t floats) {
  return sizeof(float) * static_cast<std::size_t>(floats);
}

}  // namespace

PieceMemory::PieceMemory(const Split& split, int card)
    : a_in_place_(card == kCardOfOperands),
      b_in_place_(card == kCardOfOperands && split.b_piece(card).count == split.shape().n),
      card_(card),
      a_(a_in_place_ ? 0 : bytes_of(split.a_piece(card).count * split.shape().k)),
      b_(b_in_place_ ? 0 : bytes_of(split.b_piece(card).count * split.shape().k)) {}

OwnPieces PieceMemory::fill(const Split& split, const OperandPair& from, cudaStream_t stream) const {
  const Shape& shape = split.shape();
  const Stretch rows = split.a_piece(card_);
  const Stretch cols = split.b_piece(card_);
  const float* const a = from.a + rows.from * shape.k;
  const float* const b = from.b + cols.from;
  if (!a_in_place_)
    copy_rows(a_.floats(), shape.k, card_, {a, shape.k, kCardOfOperands}, rows.count, shape.k, stream);
  if (!b_in_place_)
    copy_rows(b_.floats(), cols.count, card_, {b, shape.n, kCardOfOperands}, shape.k, cols.count, stream);
  return {a_in_place_ ? a : a_.floats(), b_in_place_ ? b : b_.floats()};
}

MultiCard::MultiCard(const Split& split, int card, const GemmImplementation& inner)
    : split_(split), card_(card) {
  const std::int64_t k = split_.shape().k;
  for (const Split::Needed& what : split_.needed(card_)) {
    const Stretch piece = what.of_a ? split_.a_piece(what.card) : split_.b_piece(what.card);
    fetched_.push_back(
        {what, std::make_unique<DeviceMemory>(bytes_of(piece.count * k)), std::make_unique<CardEvent>()});
  }
  std::int64_t floats = 0;
  for (const Block& block : split_.blocks(card_)) {
    products_.push_back({block, &session_of(block, inner), floats, std::make_unique<CardEvent>()});
    if (!in_place(block)) floats += block.rows.count * block.cols.count;
  }
  c_ = std::make_unique<DeviceMemory>(bytes_of(floats));
}

Session& MultiCard::session_of(const Block& block, const GemmImplementation& inner) {
  std::unique_ptr<Session>& session = sessions_[{block.rows.count, block.cols.count}];
  if (!session) {
    const Shape shape{block.rows.count, block.cols.count, split_.shape().k};
    const IntoStream here(multiplying_.get());
    session = inner.prepare(shape, complete(inner.description(), {}));
  }
  return *session;
}

bool MultiCard::in_place(const Block& block) const {
  return card_ == kCardOfOperands && block.cols.count == split_.shape().n;
}

void MultiCard::begin(const CardEvent& fork) const {
  for (const CardStream* stream : {&arriving_, &multiplying_, &leaving_}) fork.wait_in(stream->get());
}

OwnPieces MultiCard::bring_own(const PieceMemory& memory, const OperandPair& from) const {
  const OnCard here(card_);
  const OwnPieces own = memory.fill(split_, from, arriving_.get());
  own_there_.record(arriving_.get());
  return own;
}

OwnPieces MultiCard::stage(const PieceMemory& memory, const OperandPair& from) const {
  const OnCard here(card_);
  const OwnPieces own = memory.fill(split_, from, arriving_.get());
  GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(arriving_.get()));
  return own;
}

void MultiCard::fetch(const std::vector<OwnPieces>& own, const std::vector<const CardEvent*>& there,
                      const OperandPair* all) const {
  const OnCard here(card_);
  const Shape& shape = split_.shape();
  const bool at_hand = all != nullptr && card_ == kCardOfOperands;
  for (const Fetched& one : fetched_) {
    const int owner = one.what.card;
    const auto from = static_cast<std::size_t>(owner);
    if (!at_hand && there[from] != nullptr) there[from]->wait_in(arriving_.get());
    float* const to = one.memory->floats();
    if (one.what.of_a) {
      const Stretch rows = split_.a_piece(owner);
      const RowsOnCard piece = at_hand ? RowsOnCard{all->a + rows.from * shape.k, shape.k, card_}
                                       : RowsOnCard{own[from].a, shape.k, owner};
      copy_rows(to, shape.k, card_, piece, rows.count, shape.k, arriving_.get());
    } else {
      const Stretch cols = split_.b_piece(owner);
      const RowsOnCard piece = at_hand ? RowsOnCard{all->b + cols.from, shape.n, card_}
                                       : RowsOnCard{own[from].b, cols.count, owner};
      copy_rows(to, cols.count, card_, piece, shape.k, cols.count, arriving_.get());
    }
    one.arrived->record(arriving_.get());
  }
}

const float* MultiCard::awaited(bool of_a, int owner, const OwnPieces& own, const CardEvent* there) const {
  if (owner == card_) {
    if (there != nullptr) there->wait_in(multiplying_.get());
    return of_a ? own.a : own.b;
  }
  const auto found = std::find_if(fetched_.begin(), fetched_.end(), [&](const Fetched& one) {
    return one.what.of_a == of_a && one.what.card == owner;
  });
  if (found == fetched_.end()) throw std::logic_error("a block of a piece that is not fetched");
  found->arrived->wait_in(multiplying_.get());
  return found->memory->floats();
}

void MultiCard::multiply(std::size_t which, const OwnPieces& own, const CardEvent* there, float* c) const {
  if (which >= products_.size()) return;
  const OnCard here(card_);
  const Product& product = products_[which];
  const Block& block = product.block;
  const Shape& shape = split_.shape();
  const int owner_of_a = split_.card_at(split_.row_of(card_), block.a_piece);
  const int owner_of_b = split_.card_at(block.b_piece, split_.col_of(card_));
  const float* a = awaited(true, owner_of_a, own, there);
  a += (block.rows.from - split_.a_piece(owner_of_a).from) * shape.k;
  const float* const b = awaited(false, owner_of_b, own, there);
  float* const in_c = c + block.rows.from * shape.n + block.cols.from;
  float* const made = in_place(block) ? in_c : c_->floats() + product.at;
  {
    const IntoStream products(multiplying_.get());
    gemmlab::multiply(*product.session, a, b, made);
  }
  product.done->record(multiplying_.get());
  product.done->wait_in(leaving_.get());
  if (in_place(block)) return;
  copy_rows(in_c, shape.n, kCardOfOperands, {made, block.cols.count, card_}, block.rows.count,
            block.cols.count, leaving_.get());
}

void MultiCard::join(cudaStream_t stream) const {
  const OnCard here(card_);
  // the last would do, as it waits for the others' work; but a capture into a graph wants every stream back
  for (const CardStream* one : {&arriving_, &multiplying_, &leaving_}) {
    end_.record(one->get());
    end_.wait_in(stream);
  }
}

}  // namespace gemmlab::gpu
