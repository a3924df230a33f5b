#pragma once

// Has a submission kept the card from others while it was their turn?

#include <deque>
#include <functional>

#include "submissions/judge/timing/entrant.h"
#include "submissions/judge/timing/two_clocks.h"

namespace gemmlab::submissions {

enum class LeftOnCard { kNone, kOfSubmission, kOfOthers };

/// What work_left_on_card() does, one by one.
struct CardTurns {
  std::function<TwoClocks()> other;  ///< times one that was kept waiting once more
  std::function<bool()>
      submission;              ///< lets the submission have its turns; false where they did not end well
  std::function<void()> wait;  ///< for work on the card to end
};

/// Whose work was still on the card when the other side's call waited for it? The submission's, if the probe always waits after a turn
/// of the submission and never while the submission is paused. kNone: the probe waited only sometimes. kOfOthers: it also waits while
/// the submission is paused, so a third program's work is on the card.
LeftOnCard who_kept_it_waiting(const CardTurns& turns);

/// Once a shape's times are taken: where one of the suite's was kept waiting (TwoClocks), who did it?
LeftOnCard work_left_on_card(std::deque<EntrantAtShape>& here);

}  // namespace gemmlab::submissions
