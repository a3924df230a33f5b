#pragma once

// Has a submission kept the card at work while it was the turn of others?

#include <deque>
#include <functional>

#include "submissions/judge/entrant.h"

namespace gemmlab::submissions {

enum class LeftWork { kNone, kOfSubmission, kOfStrangers };

/// Where empty windows right after its turns took long (EmptyWindows::card_at_work), others are timed once more while it stands
/// still: were they slower before, it was its work. Where the card does not come to rest within a second, the submission is
/// ended by `end_submission`, and then the card has to.
LeftWork left_work(EmptyWindows& windows, std::deque<EntrantAtShape>& here,
                   const std::function<void()>& end_submission);

}  // namespace gemmlab::submissions
