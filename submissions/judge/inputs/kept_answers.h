#pragma once

// What C has to be in the last timed calls.

#include <cstdint>
#include <map>
#include <vector>

#include "submissions/judge/inputs/timed_answer.h"

namespace gemmlab::submissions {

class KeptAnswers {
 public:
  /// `stream`: a number of its own for each shape.
  KeptAnswers(const Shape& shape, const Secret& secret, std::uint32_t stream, const DoubleProduct& product)
      : shape_(shape), secret_(secret), stream_(stream), product_(product) {}

  /// The call that was asked about last.
  std::int64_t now() const { return now_; }
  /// The last calls besides `now()`, latest first.
  std::vector<std::int64_t> earlier() const;
  /// Is c the answer to that call's inputs? Of `now()` or one of `earlier()`.
  std::vector<Check> check(const float* c, std::int64_t call) const { return answers_.at(call).check(c); }

 protected:
  bool known(std::int64_t call) const { return answers_.count(call) != 0; }
  void keep(std::int64_t call, TimedAnswer answer);

  Shape shape_;
  const Secret& secret_;
  std::uint32_t stream_;
  const DoubleProduct& product_;
  std::int64_t now_ = -1;

 private:
  std::map<std::int64_t, TimedAnswer> answers_;
};

}  // namespace gemmlab::submissions
