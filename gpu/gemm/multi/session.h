#pragma once

// A product of matrices on the cards by several of them, prepared.

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/gemm/multi/card.h"
#include "gpu/gemm/multi/split.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {

/// Where operands lie when the clock starts.
enum class Start {
  kFirst,   ///< A and B on the first card
  kSharded  ///< each card has its own pieces of them
};

/// Everything is put into streams of the cards, which begin behind what the caller's stream holds, and which that stream then
/// waits for: to the caller it is work of its stream like any other.
class MultiSession : public GemmSession {
 public:
  /// `writes_far`: products write C where it is to lie from cards that NVLink joins with the first; else, and elsewhere, what they
  /// make is copied there. `nccl`: what the cards get from each other comes by it; nullptr: by peer copies.
  MultiSession(const Split& split, const GemmImplementation& inner, Start start, bool writes_far,
               std::unique_ptr<NcclExchange> nccl);

  void stage(const std::vector<OperandPair>& pairs) override;
  void multiply(const float* a, const float* b, float* c) override;
  Facts chosen() const override;
  Facts resources() const override;

 private:
  /// The pieces of two matrices on each card (kSharded).
  struct Staged {
    std::vector<std::unique_ptr<PieceMemory>> memory;
    std::vector<OwnPieces> own;
  };

  Staged place(const OperandPair& source) const;
  /// Brings A and B to all cards, in each step to all of them.
  std::vector<OwnPieces> bring(const float* a, const float* b);
  /// What cards get from each other in a step. `source`: A and B on the first card, from where the pieces are on their way to their
  /// cards; nullptr: they have lain there.
  void exchange_pieces(int step, const std::vector<OwnPieces>& own, const OperandPair* source) const;

  Split split_;
  Start start_;
  int peers_;
  std::unique_ptr<NcclExchange> nccl_;
  CardEvent fork_;
  std::vector<std::unique_ptr<MultiCard>> cards_;
  std::vector<std::unique_ptr<PieceMemory>> own_memory_;  ///< none where the operands are sharded
  std::map<std::pair<const float*, const float*>, Staged> staged_;
  std::size_t most_products_ = 0;
  bool timed_ = false;  ///< was the last product launched? Events that a graph records tell no times
};

}  // namespace gemmlab::gpu
