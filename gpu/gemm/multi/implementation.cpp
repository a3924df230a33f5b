#include "gpu/gemm/multi/implementation.h"

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/session_row.h"
#include "gpu/check.h"
#include "gpu/gemm/multi/card.h"
#include "gpu/gemm/multi/split.h"
#include "gpu/gemm/session.h"
#include "gpu/stream.h"

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kMostCards = 8;
constexpr std::int64_t kMostChunks = 64;
constexpr const char* kSharded = "sharded";

bool is_sharded(const Parameters& parameters) {
  return text(parameters, "operands") == kSharded;
}

/// A single card's C is made where it is to lie, so nothing is gained by chunks.
Split split_for(const Shape& shape, const Parameters& parameters) {
  const int cards = static_cast<int>(integer(parameters, "gpus"));
  return {shape, cards, cards == 1 ? 1 : static_cast<int>(integer(parameters, "chunks"))};
}

/// Shapes of all products of all cards.
std::vector<Shape> shapes_of(const Split& split) {
  std::vector<Shape> shapes;
  for (int card = 0; card < split.cards(); ++card) {
    for (const Block& block : split.blocks(card))
      shapes.push_back({block.rows.count, block.cols.count, split.shape().k});
  }
  return shapes;
}

/// 0 where there is no driver, and nothing can be run anyway.
int visible_cards() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();
  return 0;
}

/// Everything is put into streams of the cards, which begin behind what the caller's stream holds, and which that stream then
/// waits for: to the caller it is work of its stream like any other.
class MultiSession : public GemmSession {
 public:
  MultiSession(const Split& split, const GemmImplementation& inner, bool sharded)
      : split_(split), peers_(enable_peers(split.cards())) {
    for (int card = 0; card < split_.cards(); ++card) {
      const OnCard here(card);
      cards_.push_back(std::make_unique<MultiCard>(split_, card, inner));
      if (!sharded) own_memory_.push_back(std::make_unique<PieceMemory>(split_, card));
      most_products_ = std::max(most_products_, cards_.back()->products());
    }
  }

  void stage(const std::vector<OperandPair>& pairs) override {
    GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(current_stream()));  // what still runs may read what lay there
    staged_.clear();
    for (const OperandPair& pair : pairs) {
      Staged& staged = staged_[{pair.a, pair.b}];
      if (!staged.own.empty()) continue;
      for (int card = 0; card < split_.cards(); ++card) {
        const OnCard here(card);
        staged.memory.push_back(std::make_unique<PieceMemory>(split_, card));
        staged.own.push_back(cards_[static_cast<std::size_t>(card)]->stage(*staged.memory.back(), pair));
      }
    }
  }

  void multiply(const float* a, const float* b, float* c) override {
    const cudaStream_t stream = current_stream();
    fork_.record(stream);
    for (const auto& card : cards_) card->begin(fork_);
    const bool sharded = own_memory_.empty();
    std::vector<const CardEvent*> there(cards_.size(), nullptr);
    const OperandPair all{a, b};
    const std::vector<OwnPieces> own = sharded ? staged_pieces(a, b) : bring_own(all, there);
    for (const auto& card : cards_) card->fetch(own, there, sharded ? nullptr : &all);
    // in turns: launches are as short as 1/10,000 of a product, but those of one card would delay the next
    for (std::size_t which = 0; which < most_products_; ++which) {
      for (std::size_t card = 0; card < cards_.size(); ++card)
        cards_[card]->multiply(which, own[card], there[card], c);
    }
    for (const auto& card : cards_) card->join(stream);
  }

  Facts chosen() const override {
    const CardGrid grid = split_.grid();
    Facts facts = inner_session() ? inner_session()->chosen() : Facts();
    facts["grid"] = std::to_string(grid.rows) + "x" + std::to_string(grid.cols);
    if (own_memory_.empty())
      facts["exchanged_bytes"] = static_cast<std::int64_t>(sizeof(float)) * split_.exchanged();
    facts["products_per_card"] = static_cast<std::int64_t>(most_products_);
    facts["peer_pairs"] = std::int64_t{peers_};
    return facts;
  }

  Facts resources() const override { return inner_session() ? inner_session()->resources() : Facts(); }

 private:
  struct Staged {
    std::vector<std::unique_ptr<PieceMemory>> memory;
    std::vector<OwnPieces> own;
  };

  /// Of the first card that has a product; there may be more cards than rows.
  const Session* inner_session() const {
    for (const auto& card : cards_) {
      if (card->inner() != nullptr) return card->inner();
    }
    return nullptr;
  }

  const std::vector<OwnPieces>& staged_pieces(const float* a, const float* b) const {
    const auto found = staged_.find({a, b});
    if (found == staged_.end()) throw std::runtime_error("these operands have not been staged");
    return found->second.own;
  }

  std::vector<OwnPieces> bring_own(const OperandPair& from, std::vector<const CardEvent*>& there) const {
    std::vector<OwnPieces> own;
    for (std::size_t card = 0; card < cards_.size(); ++card) {
      own.push_back(cards_[card]->bring_own(*own_memory_[card], from));
      there[card] = &cards_[card]->own_there();
    }
    return own;
  }

  Split split_;
  int peers_;
  CardEvent fork_;
  std::vector<std::unique_ptr<MultiCard>> cards_;
  std::vector<std::unique_ptr<PieceMemory>> own_memory_;  ///< none where the operands are staged
  std::map<std::pair<const float*, const float*>, Staged> staged_;
  std::size_t most_products_ = 0;
};

std::vector<ParameterSpec> multi_parameters() {
  ParameterSpec gpus;
  gpus.name = "gpus";
  gpus.summary = "cards that share the product: the first ones that are visible";
  gpus.minimum = 1;
  gpus.maximum = kMostCards;
  gpus.default_value = std::int64_t{1};
  ParameterSpec chunks;
  chunks.name = "chunks";
  chunks.summary =
      "into how many a card's last block is cut, each being sent to C while the next is multiplied";
  chunks.minimum = 1;
  chunks.maximum = kMostChunks;
  chunks.default_value = std::int64_t{4};
  return {
      gpus,
      choice("operands",
             "first: A and B lie on the first card, and their way to the others counts; sharded: each card "
             "has its own part of A and B before the clock starts. C goes to the first card",
             {std::string("first"), std::string(kSharded)}, std::string("first")),
      chunks};
}

}  // namespace

MultiImplementation::MultiImplementation(Description description, const GemmImplementation& inner)
    : description_(std::move(description)), inner_(inner) {
  description_.parameters = multi_parameters();
}

std::string MultiImplementation::why_not(const Shape& shape, const Parameters& parameters) const {
  if (std::string reason = too_long(shape); !reason.empty()) return reason;
  const std::int64_t wanted = integer(parameters, "gpus");
  const int visible = visible_cards();
  if (visible > 0 && wanted > visible)
    return "gpus = " + std::to_string(wanted) + ", and " + std::to_string(visible) + " can be seen here";
  const Parameters usual = complete(inner_.description(), {});
  for (const Shape& part : shapes_of(split_for(shape, parameters))) {
    if (std::string reason = inner_.why_not(part, usual); !reason.empty()) return reason;
  }
  return {};
}

double MultiImplementation::moved_bytes(const Shape& shape, const Parameters& parameters) const {
  const Parameters usual = complete(inner_.description(), {});
  double bytes = 0;
  for (const Shape& part : shapes_of(split_for(shape, parameters))) bytes += inner_.moved_bytes(part, usual);
  return bytes;
}

bool MultiImplementation::operands_resident(const Parameters& parameters) const {
  return is_sharded(parameters);
}

std::unique_ptr<Session> MultiImplementation::prepare(const Shape& shape,
                                                      const Parameters& parameters) const {
  const std::int64_t wanted = integer(parameters, "gpus");
  if (wanted > visible_cards()) throw std::runtime_error(why_not(shape, parameters));
  return std::make_unique<MultiSession>(split_for(shape, parameters), inner_, is_sharded(parameters));
}

}  // namespace gemmlab::gpu
