#pragma once

// Has a submission kept the card from others while it was their turn?

#include <deque>
#include <functional>

#include "submissions/judge/entrant.h"
#include "submissions/judge/two_clocks.h"

namespace gemmlab::submissions {

enum class LeftWork { kNone, kOfSubmission, kOfOthers };

/// What left_work() does, one by one.
struct CardTurns {
  std::function<TwoClocks()> other;  ///< times one that was kept waiting once more
  std::function<bool()>
      submission;              ///< lets the submission have its turns; false where they did not end well
  std::function<void()> wait;  ///< for work on the card to end
};

/// Who kept the other one waiting? The submission, where that one is served at once whenever the submission stands still, and kept
/// waiting after each of its turns. kNone: it was not always so. kOfOthers: it waits however long the submission stands still.
LeftWork who_kept_it_waiting(const CardTurns& turns);

/// Once a shape's times are taken: where one of the suite's was kept waiting (TwoClocks), who did it?
LeftWork left_work(std::deque<EntrantAtShape>& here);

}  // namespace gemmlab::submissions
