#pragma once

// One of the cards that share a product: its memory, its streams, and the products that it makes.

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/gemm/implementation.h"
#include "gpu/device.h"
#include "gpu/gemm/multi/on_card.h"
#include "gpu/gemm/multi/split.h"

namespace gemmlab::gpu {

/// Where a card's own pieces lie: rows of A, and columns of B that are packed (of as many columns).
struct OwnPieces {
  const float* a = nullptr;
  const float* b = nullptr;
};

/// Memory for the pieces that are the current card's own. Card 0 uses its rows of A, and B if it needs all of it, where they
/// lie.
class PieceMemory {
 public:
  PieceMemory(const Split& split, int card);
  /// Copies them from A and B on card 0, in a stream of the card.
  OwnPieces fill(const Split& split, const OperandPair& from, cudaStream_t stream) const;

 private:
  bool a_in_place_;
  bool b_in_place_;
  int card_;
  DeviceMemory a_;
  DeviceMemory b_;
};

class MultiCard {
 public:
  /// For the current card.
  MultiCard(const Split& split, int card, const GemmImplementation& inner);
  MultiCard(const MultiCard&) = delete;
  MultiCard& operator=(const MultiCard&) = delete;

  /// What follows is asked of all cards, one after the other, each step before the next. First: nothing begins before
  /// `fork`.
  void begin(const CardEvent& fork) const;
  /// Copies the card's own pieces from card 0 into `memory` as part of the product.
  OwnPieces bring_own(const PieceMemory& memory, const OperandPair& from) const;
  OwnPieces stage(const PieceMemory& memory, const OperandPair& from) const;  ///< the same, and waits for it
  /// Gets the pieces of others. `there`: of each card, an event behind its own pieces; nullptr where they have lain there.
  /// `all`: A and B, which card 0 has at hand where they were not staged; nullptr where they were.
  void fetch(const std::vector<OwnPieces>& own, const std::vector<const CardEvent*>& there,
             const OperandPair* all) const;
  /// Makes product `which` and sends it to C on card 0; nothing where there are fewer.
  void multiply(std::size_t which, const OwnPieces& own, const CardEvent* there, float* c) const;
  std::size_t products() const { return products_.size(); }
  /// `stream` waits for all that the card does.
  void join(cudaStream_t stream) const;

  const CardEvent& own_there() const { return own_there_; }
  /// The inner session of the first product; nullptr where the card has none.
  const Session* inner() const { return products_.empty() ? nullptr : products_.front().session; }

 private:
  struct Fetched {
    Split::Needed what;
    std::unique_ptr<DeviceMemory> memory;
    std::unique_ptr<CardEvent> arrived;
  };
  struct Product {
    Block block;
    Session* session;
    std::int64_t at = 0;  ///< in c_
    std::unique_ptr<CardEvent> done;
  };
  Session& session_of(const Block& block, const GemmImplementation& inner);
  /// Where a piece lies; the products wait for it.
  const float* awaited(bool of_a, int owner, const OwnPieces& own, const CardEvent* there) const;
  /// Are its rows whole rows of C, on the card of C?
  bool in_place(const Block& block) const;

  Split split_;
  int card_;
  CardStream arriving_;
  CardStream multiplying_;
  CardStream leaving_;
  CardEvent own_there_;
  CardEvent end_;
  std::vector<Fetched> fetched_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::unique_ptr<Session>>
      sessions_;  ///< by rows and columns
  std::vector<Product> products_;
  std::unique_ptr<DeviceMemory> c_;
};

}  // namespace gemmlab::gpu
