#include "gpu/gemm/multi/session.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "gpu/device/cards_at_work.h"
#include "gpu/device/check.h"
#include "gpu/device/stream.h"

namespace gemmlab::gpu {

MultiSession::MultiSession(const Split& split, const GemmImplementation& inner, Start start, bool writes_far,
                           std::unique_ptr<NcclExchange> nccl)
    : split_(split), start_(start), peers_(enable_peers(split.cards())), nccl_(std::move(nccl)) {
  for (int card = 0; card < split_.cards(); ++card) {
    const OnCard here(card);
    const bool writes_there = writes_far && (card == kCardOfOperands || nvlink_joins(card, kCardOfOperands));
    cards_.push_back(std::make_unique<MultiCard>(split_, card, inner, writes_there));
    if (start_ != Start::kSharded) own_memory_.push_back(std::make_unique<PieceMemory>(split_, card));
    most_products_ = std::max(most_products_, cards_.back()->products());
  }
}

void MultiSession::stage(const std::vector<OperandPair>& pairs) {
  GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(current_stream()));  // what still runs may read what lay there
  staged_.clear();
  for (const OperandPair& pair : pairs) {
    Staged& staged = staged_[{pair.a, pair.b}];
    if (staged.own.empty()) staged = place(pair);
  }
}

MultiSession::Staged MultiSession::place(const OperandPair& source) const {
  Staged staged;
  for (int card = 0; card < split_.cards(); ++card) {
    const OnCard here(card);
    staged.memory.push_back(std::make_unique<PieceMemory>(split_, card));
    cards_[static_cast<std::size_t>(card)]->stage(*staged.memory.back(), source);
    staged.own.push_back(staged.memory.back()->pieces(split_, source));
  }
  return staged;
}

std::vector<OwnPieces> MultiSession::bring(const float* a, const float* b) {
  if (start_ == Start::kSharded) {
    const auto found = staged_.find({a, b});
    if (found == staged_.end()) throw std::logic_error("these operands have not been staged");
    for (int step = 0; step < split_.steps(); ++step) exchange_pieces(step, found->second.own, nullptr);
    return found->second.own;
  }
  const OperandPair source{a, b};
  std::vector<OwnPieces> own;
  for (const auto& memory : own_memory_) own.push_back(memory->pieces(split_, source));
  for (int step = 0; step < split_.steps(); ++step) {
    for (std::size_t card = 0; card < cards_.size(); ++card)
      cards_[card]->bring_own(*own_memory_[card], step, source);
    exchange_pieces(step, own, &source);
  }
  return own;
}

void MultiSession::exchange_pieces(int step, const std::vector<OwnPieces>& own,
                                   const OperandPair* source) const {
  // the first card has all at hand where A and B lie there
  const int at_hand = source ? kCardOfOperands : -1;
  if (nccl_) exchange(*nccl_, cards_, step, at_hand, source != nullptr, own);
  for (std::size_t card = 0; card < cards_.size(); ++card) {
    const bool copies_at_hand = static_cast<int>(card) == at_hand;
    if (nccl_ && !copies_at_hand) continue;
    cards_[card]->fetch(step, own, source ? &cards_ : nullptr, copies_at_hand ? source : nullptr);
  }
}

void MultiSession::multiply(const float* a, const float* b, float* c) {
  const cudaStream_t stream = current_stream();
  timed_ = !is_captured(stream);
  fork_.record(stream);
  for (const auto& card : cards_) card->begin(fork_);
  const std::vector<OwnPieces> own = bring(a, b);
  // in turns: launches are as short as 1/10,000 of a product, but those of one card would delay the next
  for (std::size_t which = 0; which < most_products_; ++which) {
    for (std::size_t card = 0; card < cards_.size(); ++card)
      cards_[card]->multiply(which, own[card], start_ == Start::kSharded, c);
  }
  for (const auto& card : cards_) card->join(stream);
  cards_at_work() = split_.cards();
}

Facts MultiSession::resources() const {
  const Session* const inner = inner_session_of(cards_);
  return inner ? inner->resources() : Facts();
}

Facts MultiSession::chosen() const {
  const CardGrid grid = split_.grid();
  const Session* const inner = inner_session_of(cards_);
  Facts facts = inner ? inner->chosen() : Facts();
  facts["grid"] = std::to_string(grid.rows) + "x" + std::to_string(grid.cols);
  if (start_ != Start::kFirst)
    facts["exchanged_bytes"] = static_cast<std::int64_t>(bytes_of(split_.exchanged()));
  facts["products_per_card"] = static_cast<std::int64_t>(most_products_);
  facts["peer_pairs"] = std::int64_t{peers_};
  facts["cards_writing_c"] = std::int64_t{
      std::count_if(cards_.begin(), cards_.end(), [](const auto& card) { return card->writes_c(); })};
  if (nccl_) NcclExchange::add_to(facts);
  if (timed_) add_times_of(cards_, facts);
  return facts;
}

}  // namespace gemmlab::gpu
