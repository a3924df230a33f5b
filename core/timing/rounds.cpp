#include "core/timing/rounds.h"

#include <algorithm>

#include "core/statistics.h"
#include "core/timing/sampling.h"

namespace gemmlab {
namespace {

/// What one round is made of: those that still need rounds, and how often the others go on beside them.
class Round {
 public:
  explicit Round(const std::vector<Timed*>& running) {
    for (Timed* one : running) {
      one->look();
      precise_ += one->precise() ? 1 : 0;
      if (!one->needs_rounds()) continue;
      ++open_;
      open_s_ += one->seconds_per_sample();
    }
  }

  bool last() const { return open_ == 0; }
  bool takes_part(const Timed& one, std::int64_t number) const {
    if (!one.precise() || last()) return true;
    return number % stride_of_precise(one.seconds_per_sample(), open_s_, precise_) == 0;
  }

 private:
  std::size_t precise_ = 0;
  std::size_t open_ = 0;
  double open_s_ = 0;
};

}  // namespace

void interleave(std::vector<Timed*> running, std::uint64_t seed, int first_round,
                const std::function<void(Timed&)>& finished, const std::function<bool(int number)>& begin) {
  Shuffler shuffler(seed);
  for (int number = first_round; !running.empty(); ++number) {
    if (begin && !begin(number)) return;
    const Round round(running);
    std::vector<Timed*> next;
    for (const int place : shuffler.order(static_cast<int>(running.size()))) {
      Timed* one = running[static_cast<std::size_t>(place)];
      if (!round.takes_part(*one, number) || one->round(number, round.last())) {
        next.push_back(one);
      } else {
        finished(*one);
      }
    }
    running = std::move(next);
  }
}

void PrecisionStop::look(const std::vector<double>& samples_s, double timed_s) {
  const std::size_t with_last = samples_s.size() + 1;
  if (reached_ || timed_s < least_s_ || with_last < std::max(kFewestForComparison, next_look_)) return;
  reached_ = relative_half_width(samples_s) <= wanted_;
  // Looked at now and then only: sorting all samples in every round would cost more than short calls do.
  next_look_ = samples_s.size() * 9 / 8 + 1;
}

}  // namespace gemmlab
