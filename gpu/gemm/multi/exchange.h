#pragma once

// How cards get pieces of A and B from each other by NCCL, all of them at once.

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/implementation.h"
#include "gpu/libraries/nccl.h"

namespace gemmlab::gpu {

/// NCCL's, of the cards 0 to cards - 1, kept to the end of the program: to make them takes a second.
const std::vector<Nccl::Communicator>& communicators_of(int cards);

/// Floats that a card gets from another.
struct Way {
  int from_card = 0;
  const float* from = nullptr;
  int to_card = 0;
  float* to = nullptr;
  std::int64_t floats = 0;
};

class NcclExchange {
 public:
  /// For the cards 0 to cards - 1.
  explicit NcclExchange(int cards);

  /// `streams`, by cards: what a card sends or gets goes into its own. Nothing is done for ways without floats.
  void run(const std::vector<Way>& ways, const std::vector<cudaStream_t>& streams) const;
  /// The library that sends: library, version.
  static void add_to(Facts& facts);

 private:
  const std::vector<Nccl::Communicator>& communicators_;
};

/// The same for cards that have await_own, ways, fetching and arrived, each with `step`; `left_out`: a card that sends, but gets
/// nothing this way; -1: none. `arguments`: what ways() wants besides the step.
template <typename Cards, typename Step, typename... Arguments>
void exchange(const NcclExchange& nccl, const Cards& cards, Step step, int left_out, bool own_come,
              const Arguments&... arguments) {
  std::vector<Way> ways;
  std::vector<cudaStream_t> streams;
  for (std::size_t card = 0; card < cards.size(); ++card) {
    if (own_come) cards[card]->await_own(step);
    streams.push_back(cards[card]->fetching());
    if (static_cast<int>(card) == left_out) continue;
    const std::vector<Way> its = cards[card]->ways(step, arguments...);
    ways.insert(ways.end(), its.begin(), its.end());
  }
  nccl.run(ways, streams);
  for (std::size_t card = 0; card < cards.size(); ++card) {
    if (static_cast<int>(card) != left_out) cards[card]->arrived(step);
  }
}

}  // namespace gemmlab::gpu
