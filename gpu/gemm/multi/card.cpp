#include "gpu/gemm/multi/card.h"

#include <algorithm>
#include <stdexcept>

#include "gpu/device/check.h"
#include "gpu/gemm/shared_operands.h"

namespace gemmlab::gpu {

MultiCard::MultiCard(const Split& split, int card, const GemmImplementation& inner, bool writes_there)
    : split_(split), card_(card), own_there_(static_cast<std::size_t>(split.steps())) {
  const std::int64_t k = split_.shape().k;
  for (const Split::Needed& what : split_.needed(card_)) {
    const Stretch piece = what.of_a ? split_.a_piece(what.card) : split_.b_piece(what.card);
    fetched_.push_back({what, std::make_unique<DeviceMemory>(bytes_of(piece.count * k)),
                        std::vector<CardEvent>(own_there_.size())});
  }
  std::int64_t floats = 0;
  const auto* const sharing = dynamic_cast<const SharesOperands*>(&inner);
  for (const Block& block : split_.blocks(card_)) {
    const Shape shape = shape_of(block);
    Product product;
    product.block = block;
    product.shares = sharing && sharing->shares(shape, form_of(shape), complete(inner.description(), {}));
    // where nothing is shared, the product may be one of FP32 units, which would lose by it
    product.in_place = (card_ == kCardOfOperands && shape.n == split_.shape().n) ||
                       (writes_there && (sharing == nullptr || product.shares));
    product.session = session_of(product, inner);
    product.at = floats;
    if (!product.in_place) floats += shape.m * shape.n;
    products_.push_back(std::move(product));
  }
  c_ = std::make_unique<DeviceMemory>(bytes_of(floats));
}

Shape MultiCard::shape_of(const Block& block) const {
  return {block.rows.count, block.cols.count, split_.shape().k};
}

Session* MultiCard::session_of(const Product& product, const GemmImplementation& inner) {
  const Block& block = product.block;
  const Shape shape = shape_of(block);
  GemmForm form = form_of(shape);
  if (product.in_place) form.ldc = split_.shape().n;
  const Parameters parameters = complete(inner.description(), {});
  const IntoStream here(multiplying_.get());
  const auto find = [&](const auto& fits) -> Session* {
    const auto found = std::find_if(products_.begin(), products_.end(), [&](const Product& other) {
      return other.shares == product.shares && fits(other.block);
    });
    return found == products_.end() ? nullptr : found->session;
  };
  if (product.shares) {
    const SessionsBefore before{
        find([](const Block&) { return true; }),
        find([&](const Block& other) { return other.a_piece == block.a_piece && other.rows == block.rows; }),
        find([&](const Block& other) { return other.b_piece == block.b_piece && other.cols == block.cols; })};
    sessions_.push_back(
        dynamic_cast<const SharesOperands&>(inner).prepare_after(before, shape, form, parameters));
  } else if (Session* const same = find([&](const Block& other) {
               return other.rows.count == shape.m && other.cols.count == shape.n;
             })) {
    return same;
  } else {
    sessions_.push_back(inner.prepare_form(shape, form, parameters));
  }
  return sessions_.back().get();
}

bool MultiCard::writes_c() const {
  return !products_.empty() && std::all_of(products_.begin(), products_.end(),
                                           [](const Product& product) { return product.in_place; });
}

void MultiCard::begin(const CardEvent& fork) const {
  const OnCard here(card_);
  for (const CardStream* stream : {&arriving_, &fetching_, &multiplying_, &leaving_})
    fork.wait_in(stream->get());
  clock_.begin(multiplying_.get());
  clock_.all_there(fetching_.get());
}

void MultiCard::bring_own(const PieceMemory& memory, int step, const OperandPair& source) const {
  const OnCard here(card_);
  memory.fill(split_, step, source, arriving_.get());
  own_there_[static_cast<std::size_t>(step)].record(arriving_.get());
}

void MultiCard::stage(const PieceMemory& memory, const OperandPair& source) const {
  const OnCard here(card_);
  for (int step = 0; step < split_.steps(); ++step) memory.fill(split_, step, source, arriving_.get());
  GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(arriving_.get()));
}

Way MultiCard::way_of(const Fetched& one, int step, const std::vector<OwnPieces>& own) const {
  const int owner = one.what.card;
  const auto from = static_cast<std::size_t>(owner);
  const Stretch piece = one.what.of_a ? split_.a_piece(owner) : split_.b_piece(owner);
  const Stretch part = one.what.of_a ? split_.a_part(owner, step) : split_.b_part(owner, step);
  const std::int64_t at = at_columns(split_, piece, part);  // rows of A are as long as columns of B
  return {owner, (one.what.of_a ? own[from].a : own[from].b) + at, card_, one.memory->floats() + at,
          part.count * split_.shape().k};
}

void MultiCard::fetch(int step, const std::vector<OwnPieces>& own,
                      const std::vector<std::unique_ptr<MultiCard>>* cards,
                      const OperandPair* at_hand) const {
  const OnCard here(card_);
  const Shape& shape = split_.shape();
  const auto which = static_cast<std::size_t>(step);
  for (const Fetched& one : fetched_) {
    const auto from = static_cast<std::size_t>(one.what.card);
    if (at_hand == nullptr && cards != nullptr) (*cards)[from]->own_there_[which].wait_in(fetching_.get());
    const Way way = way_of(one, step, own);
    if (at_hand && !one.what.of_a) {
      const Stretch part = split_.b_part(one.what.card, step);
      copy_rows({way.to, part.count, card_}, {at_hand->b + part.from, shape.n, card_}, shape.k, part.count,
                fetching_.get());
    } else {
      const Stretch part = split_.a_part(one.what.card, step);
      const float* const source = at_hand ? at_hand->a + part.from * shape.k : way.from;
      copy_rows({way.to, way.floats, card_}, {source, way.floats, at_hand ? card_ : way.from_card}, 1,
                way.floats, fetching_.get());
    }
    one.arrived[which].record(fetching_.get());
  }
  if (step + 1 < split_.steps()) return;
  if (cards != nullptr) own_there_.back().wait_in(fetching_.get());
  clock_.all_there(fetching_.get());
}

void MultiCard::await_own(int step) const {
  const OnCard here(card_);
  own_there_[static_cast<std::size_t>(step)].wait_in(fetching_.get());
}

std::vector<Way> MultiCard::ways(int step, const std::vector<OwnPieces>& own) const {
  std::vector<Way> all;
  for (const Fetched& one : fetched_) all.push_back(way_of(one, step, own));
  return all;
}

void MultiCard::arrived(int step) const {
  const OnCard here(card_);
  for (const Fetched& one : fetched_) one.arrived[static_cast<std::size_t>(step)].record(fetching_.get());
  if (step + 1 == split_.steps()) clock_.all_there(fetching_.get());
}

const float* MultiCard::awaited(bool of_a, int owner, int step, const OwnPieces& own, bool staged) const {
  const auto which = static_cast<std::size_t>(step);
  if (owner == card_) {
    if (!staged) own_there_[which].wait_in(multiplying_.get());
    return of_a ? own.a : own.b;
  }
  const auto found = std::find_if(fetched_.begin(), fetched_.end(), [&](const Fetched& one) {
    return one.what.of_a == of_a && one.what.card == owner;
  });
  if (found == fetched_.end()) throw std::logic_error("a block of a piece that is not fetched");
  found->arrived[which].wait_in(multiplying_.get());
  return found->memory->floats();
}

void MultiCard::multiply(std::size_t which, const OwnPieces& own, bool staged, float* c) const {
  if (which >= products_.size()) return;
  const OnCard here(card_);
  const Product& product = products_[which];
  const Block& block = product.block;
  const int owner_of_a = split_.card_at(split_.row_of(card_), block.a_piece);
  const int owner_of_b = split_.card_at(block.b_piece, split_.col_of(card_));
  const float* a = awaited(true, owner_of_a, block.a_step, own, staged);
  a += at_columns(split_, split_.a_piece(owner_of_a), block.rows);
  const float* b = awaited(false, owner_of_b, block.b_step, own, staged);
  b += at_columns(split_, split_.b_piece(owner_of_b), block.cols);
  const std::int64_t n = split_.shape().n;
  float* const made =
      product.in_place ? c + block.rows.from * n + block.cols.from : c_->floats() + product.at;
  product.begun.record(multiplying_.get());
  {
    const IntoStream products(multiplying_.get());
    gemmlab::multiply(*product.session, a, b, made);
  }
  product.done.record(multiplying_.get());
  send(product, made, c);
}

void MultiCard::send(const Product& product, const float* made, float* c) const {
  const Block& block = product.block;
  const std::int64_t n = split_.shape().n;
  product.done.wait_in(leaving_.get());
  if (product.in_place) return;
  copy_rows({c + block.rows.from * n + block.cols.from, n, kCardOfOperands}, {made, block.cols.count, card_},
            block.rows.count, block.cols.count, leaving_.get());
}

void MultiCard::join(cudaStream_t stream) const {
  const OnCard here(card_);
  clock_.join({arriving_.get(), fetching_.get(), multiplying_.get()}, leaving_.get(), stream);
}

CardTimes MultiCard::times() const {
  const OnCard here(card_);
  return clock_.times(products_);
}

}  // namespace gemmlab::gpu
