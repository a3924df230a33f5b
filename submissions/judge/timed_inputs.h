#pragma once

// Inputs of timed calls: other matrices in every round, at the same addresses.

#include <cstdint>
#include <map>
#include <vector>

#include "core/gemm/reference.h"
#include "core/inputs.h"
#include "submissions/matrices.h"

namespace gemmlab::submissions {

/// Every round has its own A and B, so that nothing kept from an earlier round, not even one row of C, helps
/// in a later one.
class TimedInputs {
 public:
  TimedInputs(const Shape& shape, std::uint64_t seed, const DoubleProduct& product)
      : shape_(shape), seed_(seed), product_(product) {}

  /// Writes A and B of a round to the start of their rooms. Round -1 is the warm-up's.
  void fill(Matrices& matrices, int round) {
    const std::uint64_t seed = seed_ + static_cast<std::uint64_t>(round + 1);
    gemmlab::fill(matrices.a->at(0), shape_.m, shape_.k, Distribution::kUniform, seed, Operand::kA, 0, 1);
    gemmlab::fill(matrices.b->at(0), shape_.k, shape_.n, Distribution::kUniform, seed, Operand::kB, 0, 1);
    // projections and a sample: a whole product in double each round would take longer than what is timed
    references_.emplace(round, Reference(shape_, Distribution::kUniform, seed, product_, true));
  }
  bool known(int round) const { return references_.count(round) > 0; }
  /// Is c the answer to that round's inputs?
  std::vector<Check> check(const float* c, int round) const { return references_.at(round).check(c, 0); }

 private:
  Shape shape_;
  std::uint64_t seed_;
  const DoubleProduct& product_;
  std::map<int, Reference> references_;
};

}  // namespace gemmlab::submissions
