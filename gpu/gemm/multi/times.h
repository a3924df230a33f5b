#pragma once

// What cards that share a product do with their time.

#include <initializer_list>
#include <vector>

#include "core/implementation.h"
#include "gpu/gemm/multi/on_card.h"

namespace gemmlab::gpu {

/// What a card did in the last product, by its own clock.
struct CardTimes {
  double whole_s = 0;
  double multiplying_s = 0;
  double arriving_s = 0;  ///< until the last of its operands was there
};

/// The ends of a product on the current card.
class CardClock {
 public:
  void begin(cudaStream_t stream) const { begun_.record(stream); }
  void all_there(cudaStream_t stream) const { all_there_.record(stream); }
  /// `into`, of any card, waits for `last`, and this for the others.
  void join(std::initializer_list<cudaStream_t> others, cudaStream_t last, cudaStream_t into) const;
  /// `products`: with events `begun` and `done`.
  template <typename Products>
  CardTimes times(const Products& products) const {
    CardTimes times{over_.since_s(begun_), 0, all_there_.since_s(begun_)};
    for (const auto& product : products) times.multiplying_s += product.done.since_s(product.begun);
    return times;
  }

 private:
  CardEvent begun_{CardEvent::Clock::kYes};
  CardEvent all_there_{CardEvent::Clock::kYes};
  CardEvent over_{CardEvent::Clock::kYes};
  CardEvent end_;
};

/// The means of all cards: share_not_multiplying, share_arriving. Nothing where an emulated clock stands.
void add_times(const std::vector<CardTimes>& cards, Facts& facts);

/// What those say that share a product: with times() and inner().
template <typename Cards>
void add_times_of(const Cards& cards, Facts& facts) {
  std::vector<CardTimes> times;
  for (const auto& card : cards) times.push_back(card->times());
  add_times(times, facts);
}

/// The inner session of the first card that has a product; there may be more cards than rows. nullptr where none has.
template <typename Cards>
const Session* inner_session_of(const Cards& cards) {
  for (const auto& card : cards) {
    if (card->inner() != nullptr) return card->inner();
  }
  return nullptr;
}

}  // namespace gemmlab::gpu
