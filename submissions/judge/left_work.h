#pragma once

// Has a submission kept the card at work while it was the turn of others?

#include <deque>

#include "submissions/judge/entrant.h"

namespace gemmlab::submissions {

enum class LeftWork { kNone, kOfSubmission, kOfOthers };

/// Where empty windows right after its turns took long (EmptyWindows::card_at_work), the judge waits until the card is at rest
/// and times others once more while the submission stands still: were they slower on the card before, it was its work.
/// kOfOthers where the card, or the processors, do not come to rest.
LeftWork left_work(EmptyWindows& windows, std::deque<EntrantAtShape>& here);

}  // namespace gemmlab::submissions
