#pragma once

// What timed calls are given: in every round other matrices at the same addresses.

#include <cstdint>
#include <vector>

#include "core/inputs.h"
#include "core/verify.h"
#include "submissions/matrices.h"

namespace gemmlab::submissions {

/// Two products that a shape's rounds take in turn, each time with A's rows (and C's) rotated further.
class TimedInputs {
 public:
  TimedInputs(const Shape& shape, std::uint64_t seed, const DoubleProduct& product)
      : shape_(shape), seed_(seed) {
    for (std::uint64_t i = 0; i < 2; ++i)
      references_.emplace_back(shape, Distribution::kUniform, seed + i, product);
  }

  /// Writes A and B of a round to the start of their rooms. Round -1 is the warm-up's.
  void fill(Matrices& matrices, int round) const {
    const std::uint64_t seed = seed_ + which(round);
    gemmlab::fill(matrices.a->at(0), shape_.m, shape_.k, Distribution::kUniform, seed, Operand::kA,
                  rotation(round), 1);
    gemmlab::fill(matrices.b->at(0), shape_.k, shape_.n, Distribution::kUniform, seed, Operand::kB, 0, 1);
  }
  /// Is c, at the start of its room, the answer to a round's inputs?
  std::vector<Check> check(const float* c, int round) const {
    return references_[which(round)].check(c, rotation(round));
  }

 private:
  static std::uint64_t which(int round) { return static_cast<std::uint64_t>(round + 1) % 2; }
  std::int64_t rotation(int round) const { return (round + 1) % shape_.m; }

  Shape shape_;
  std::uint64_t seed_;
  std::vector<Reference> references_;
};

}  // namespace gemmlab::submissions
