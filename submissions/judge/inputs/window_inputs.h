#pragma once

// Inputs of timed calls on a GPU, where they are made on the card once a window's key is told: here once more, for the calls
// that are looked at.

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "submissions/judge/inputs/kept_answers.h"
#include "submissions/seal.h"

namespace gemmlab::submissions {

class WindowInputs : public KeptAnswers {
 public:
  using KeptAnswers::KeptAnswers;

  /// A key that nobody knows yet. Equal ones, for equal numbers, begin with equal inputs, which are made here once: who
  /// could pass on what it was told must have numbers of its own.
  WindowKey key(std::uint64_t number) const;
  /// Makes the inputs of the call after `previous` unless they are known; its number for check() and earlier().
  std::int64_t call_after(const WindowKey& key, const Seal& previous);

 private:
  std::vector<float> a_, b_;  ///< never where submitted code could look
  std::map<std::array<std::uint32_t, 8>, std::int64_t> numbers_;
};

}  // namespace gemmlab::submissions
