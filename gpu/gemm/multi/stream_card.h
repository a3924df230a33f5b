#pragma once

// One of the cards through which matrices on the host stream: its places for A, B and C, its streams, and what it multiplies.

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "gpu/device/device.h"
#include "gpu/gemm/multi/exchange.h"
#include "gpu/gemm/multi/on_card.h"
#include "gpu/gemm/multi/stream_plan.h"
#include "gpu/gemm/multi/times.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {

class StreamCard {
 public:
  /// For the current card. `plan` outlives it.
  StreamCard(const StreamPlan& plan, int card, const GemmImplementation& inner);
  StreamCard(const StreamCard&) = delete;
  StreamCard& operator=(const StreamCard&) = delete;
  using All = std::vector<std::unique_ptr<StreamCard>>;

  /// Nothing begins before `fork`.
  void begin(const CardEvent& fork) const;
  // These are asked of all cards, step by step, each of all before the next.
  /// Brings the card's own share of A and B, in memory of the host, that a step needs.
  void load(std::size_t step, const OperandPair& host, const All& cards) const;
  /// Gets the rest from the others.
  void fetch(std::size_t step, const All& cards) const;
  // The same by an exchange of all cards at once.
  /// It begins behind the card's own share.
  void await_own(std::size_t step) const;
  std::vector<Way> ways(std::size_t step, const All& cards) const;
  cudaStream_t fetching() const { return fetching_.get(); }
  /// What the step's exchange brings is there when it is over.
  void arrived(std::size_t step) const;
  /// Multiplies, and sends to C in memory of the host what is complete.
  void multiply(std::size_t step, float* c) const;
  /// `stream` waits for all that the card does.
  void join(cudaStream_t stream) const;

  /// Of the last product, which is not of a graph.
  CardTimes times() const;
  /// The inner session of the first product; nullptr where the card has none.
  const Session* inner() const { return products_.front().session; }

 private:
  /// What a step makes here; no session where that is nothing.
  struct Product {
    Stretch rows;
    Stretch cols;
    Session* session = nullptr;
    CardEvent own_there;
    CardEvent there;  ///< all that it needs
    CardEvent begun{CardEvent::Clock::kYes};
    CardEvent done{CardEvent::Clock::kYes};
    CardEvent sent;
  };
  using Sizes = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, bool, const Session*>;
  Session* session_of(std::size_t step, const GemmImplementation& inner);
  /// Of an earlier step that multiplies all of the same columns of B, which have stayed where they are; else nullptr.
  const Session* with_same_b(std::size_t step) const;
  const StreamStep& step_at(std::size_t step) const { return plan_.steps()[step]; }
  const Product& at(int step) const { return products_[static_cast<std::size_t>(step)]; }
  float* place_of_a(const StreamStep& step, std::int64_t row) const;
  float* place_of_b(std::int64_t row) const;
  /// Calls `visit` with the cards that need the same of A or of B, this one left out, each card in another order.
  template <typename Visit>
  void with_others(bool of_a, const Visit& visit) const;

  const StreamPlan& plan_;
  int card_;
  CardStream arriving_;                                  ///< from the host
  CardStream fetching_{CardStream::Priority::kHighest};  ///< from other cards: see card.h
  CardStream multiplying_;
  CardStream to_host_;
  DeviceMemory a_;
  DeviceMemory b_;
  DeviceMemory c_;
  CardClock clock_;
  std::map<Sizes, std::unique_ptr<Session>>
      sessions_;  ///< by rows, columns, k, k of A, whether they add to C, and whose B they share
  std::vector<Product> products_;  ///< by steps
};

}  // namespace gemmlab::gpu
