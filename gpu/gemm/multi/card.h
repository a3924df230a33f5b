#pragma once

// One of the cards that share a product: its memory, its streams, and the products that it makes.

#include <memory>
#include <vector>

#include "gpu/device/device.h"
#include "gpu/gemm/multi/exchange.h"
#include "gpu/gemm/multi/on_card.h"
#include "gpu/gemm/multi/pieces.h"
#include "gpu/gemm/multi/split.h"
#include "gpu/gemm/multi/times.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {

class MultiCard {
 public:
  /// For the current card. `writes_there`: products may write C where it is to lie.
  MultiCard(const Split& split, int card, const GemmImplementation& inner, bool writes_there);
  MultiCard(const MultiCard&) = delete;
  MultiCard& operator=(const MultiCard&) = delete;

  // What follows is asked of all cards, one after the other, each step before the next.
  /// Nothing begins before `fork`.
  void begin(const CardEvent& fork) const;
  /// Copies what comes of the card's own pieces in a step into `memory`, as part of the product.
  void bring_own(const PieceMemory& memory, int step, const OperandPair& source) const;
  /// Copies all of them, and waits for that.
  void stage(const PieceMemory& memory, const OperandPair& source) const;
  /// Gets what comes of the pieces of others in a step. `cards`: all, whose own parts are waited for; nullptr where they
  /// have lain there. `at_hand`: A and B, where they lie on this very card; else nullptr.
  void fetch(int step, const std::vector<OwnPieces>& own,
             const std::vector<std::unique_ptr<MultiCard>>* cards, const OperandPair* at_hand) const;
  // The same by an exchange of all cards at once.
  /// It begins behind what comes of the card's own pieces in the step.
  void await_own(int step) const;
  std::vector<Way> ways(int step, const std::vector<OwnPieces>& own) const;
  cudaStream_t fetching() const { return fetching_.get(); }
  /// What the step's exchange brings is there when it is over.
  void arrived(int step) const;
  /// Makes product `which` and sends it to C on the first card; nothing where there are fewer. `staged`: its own pieces have lain there.
  void multiply(std::size_t which, const OwnPieces& own, bool staged, float* c) const;
  std::size_t products() const { return products_.size(); }
  /// Is all that it makes written where it is to lie?
  bool writes_c() const;
  /// `stream` waits for all that the card does.
  void join(cudaStream_t stream) const;

  /// Of the last product, which is not of a graph.
  CardTimes times() const;
  /// The inner session of the first product; nullptr where the card has none.
  const Session* inner() const { return products_.empty() ? nullptr : products_.front().session; }

 private:
  struct Fetched {
    Split::Needed what;
    std::unique_ptr<DeviceMemory> memory;
    std::vector<CardEvent> arrived;  ///< by steps
  };
  struct Product {
    Block block;
    bool shares = false;    ///< does its session make something of A and B that others can use?
    bool in_place = false;  ///< is it made where C is to lie?
    Session* session = nullptr;
    std::int64_t at = 0;  ///< in c_
    CardEvent begun{CardEvent::Clock::kYes};
    CardEvent done{CardEvent::Clock::kYes};
  };
  Shape shape_of(const Block& block) const;
  Way way_of(const Fetched& one, int step, const std::vector<OwnPieces>& own) const;
  Session* session_of(const Product& product, const GemmImplementation& inner);
  /// Where a piece lies; the products wait for what comes of it up to a step.
  const float* awaited(bool of_a, int owner, int step, const OwnPieces& own, bool staged) const;
  void send(const Product& product, const float* made, float* c) const;

  Split split_;
  int card_;
  CardStream arriving_;  ///< its own pieces
  /// Those of others: NCCL's kernels must not queue behind all blocks of a product.
  CardStream fetching_{CardStream::Priority::kHighest};
  CardStream multiplying_;
  CardStream leaving_;                ///< to C on the first card
  std::vector<CardEvent> own_there_;  ///< by steps
  CardClock clock_;
  std::vector<Fetched> fetched_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::vector<Product> products_;
  std::unique_ptr<DeviceMemory> c_;
};

}  // namespace gemmlab::gpu
