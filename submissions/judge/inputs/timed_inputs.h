#pragma once

// Inputs of timed calls: other matrices in every call, at the same addresses, out of a key that submitted code does not
// know.

#include <cstdint>

#include "submissions/judge/inputs/kept_answers.h"
#include "submissions/matrices.h"

namespace gemmlab::submissions {

/// Every call has its own A and B, so that nothing kept from an earlier call, not even one row of C, helps in a later
/// one. Calls are numbered as their caller likes, from 0 on.
class TimedInputs : public KeptAnswers {
 public:
  using KeptAnswers::KeptAnswers;

  /// Writes A and B of a call to the start of their rooms, unless they are there. True where that took threads of ours,
  /// which still look for work for a while.
  bool fill(Matrices& matrices, std::int64_t call);
};

/// `count` elements, uniform in [-1, 1), multiples of 2⁻²³: the stream's words, 24 bits of each.
void fill_uniform(float* values, std::int64_t count, const Secret& secret, const Secret::Nonce& nonce);

}  // namespace gemmlab::submissions
