#include "submissions/judge/timing/empty_calls.h"

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "submissions/judge/processes/priority.h"
#include "submissions/judge/timing/empty_samples.h"

namespace gemmlab::submissions {
namespace {

constexpr int kFirst = 40;
constexpr double kLimit_s = 10;
constexpr std::size_t kKept = 2000;

CalleeSetup emptied(CalleeSetup setup) {
  const Shape least{1, 1, 1};
  setup.library.clear();
  setup.implementation.clear();
  setup.idle_threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  setup.confinement.threads += setup.idle_threads;
  setup.matrices = Matrices::for_shapes({least});
  setup.writable_inputs = false;
  return setup;
}

}  // namespace

EmptyCalls::EmptyCalls(const CalleeSetup& like, bool raised) : process_(emptied(like)) {
  const bool ready = process_.ready(kStart_s).reply.said == Said::kReady && process_.alive();
  if (ready && raised) raise_priority_of(process_.pid());
  if (!ready || process_.load(kLimit_s).reply.said != Said::kLoaded)
    throw std::runtime_error("the process that makes empty calls did not start: " + process_.printed());
  process_.pause();
  take(kFirst);
}

void EmptyCalls::take(int calls) {
  for (int i = 0; i < calls; ++i) {
    const CallEnd end = process_.timed(call_at({1, 1, 1}), kLimit_s);
    if (end.how != CallEnd::How::kAnswered || end.reply.said != Said::kReturned)
      throw std::runtime_error("the process that makes empty calls ended: " + process_.printed());
    if (samples_s_.size() < kKept) samples_s_.push_back(end.stopped_s);
  }
}

double EmptyCalls::uncertain_s() const {
  return uncertain_of_taken_s(samples_s_);
}

double EmptyCalls::less(double clock_s) const {
  return std::max(clock_s - taken_off_s(samples_s_), clock_s / 10);
}

}  // namespace gemmlab::submissions
