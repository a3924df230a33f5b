#include "submissions/judge/inputs/kept_answers.h"

#include <iterator>
#include <utility>

namespace gemmlab::submissions {
namespace {

constexpr std::size_t kAnswersKept = 40;  ///< calls whose answers are still known

}  // namespace

std::vector<std::int64_t> KeptAnswers::earlier() const {
  std::vector<std::int64_t> calls;
  for (auto one = answers_.rbegin(); one != answers_.rend(); ++one) {
    if (one->first != now_) calls.push_back(one->first);
  }
  return calls;
}

void KeptAnswers::keep(std::int64_t call, TimedAnswer answer) {
  answers_.emplace(call, std::move(answer));
  if (answers_.size() <= kAnswersKept) return;
  const auto first = answers_.begin();
  answers_.erase(first->first == call ? std::next(first) : first);
}

}  // namespace gemmlab::submissions
