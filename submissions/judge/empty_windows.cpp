#include "submissions/judge/empty_windows.h"

#include <algorithm>
#include <stdexcept>

#include "core/statistics.h"
#include "submissions/judge/empty_samples.h"

namespace gemmlab::submissions {
namespace {

constexpr double kWindowLimit_s = 30;
constexpr int kProbes = 15;  ///< at a time
constexpr WindowKind kProbed{{64, 64, 64}, 4, true};
constexpr std::size_t kFewestProbes = 3;
/// A card changes between processes every millisecond or two.
constexpr double kTimesQuiet = 3, kLater_s = 1e-3;

CalleeSetup setup_without_product(CalleeSetup setup) {
  setup.library.clear();
  setup.implementation.clear();
  setup.idle_threads = 1;
  setup.writable_inputs = false;
  return setup;
}

}  // namespace

int most_calls(const Shape& shape) {
  constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;
  const auto c_bytes = shape.c_count() * static_cast<std::int64_t>(sizeof(float));
  return static_cast<int>(std::clamp<std::int64_t>(kMostBytes / c_bytes, 1, kMostCallsOfWindow));
}

EmptyWindows::EmptyWindows(const CalleeSetup& like, const std::vector<Shape>& shapes)
    : process_(setup_without_product(like)) {
  if (process_.ready(kStart_s).reply.said != Said::kReady || !process_.alive() ||
      process_.load(kWindowLimit_s).reply.said != Said::kLoaded)
    throw std::runtime_error("the process that makes empty windows did not start: " + process_.printed());
  process_.pause();
  for (const Shape& shape : shapes) window_s({shape, most_calls(shape), false});
  for (int i = 0; i < 3; ++i) window_s(kProbed);
  for (int i = 0; i < kProbes; ++i) probe();
  quiet_s_ = median(probes_s_);
  forget_probes();
}

double EmptyWindows::window_s(const WindowKind& kind) {
  Request request = call_at(kind.shape);
  request.calls = kind.calls;
  request.waits = kind.waits ? 1 : 0;
  const CallEnd end = process_.window(request, {}, kWindowLimit_s);
  if (end.how != CallEnd::How::kAnswered || end.reply.said != Said::kReturned)
    throw std::runtime_error("the process that makes empty windows ended: " + process_.printed() +
                             end.reply.text);
  process_.pause();
  return end.wall_s;
}

void EmptyWindows::take(const WindowKind& kind) {
  samples_s_[key_of(kind)].push_back(window_s(kind));
}

double EmptyWindows::less(double clock_s, const WindowKind& kind) const {
  return std::max(clock_s - taken_off_s(samples_s_.at(key_of(kind))), clock_s / 10) / kind.calls;
}

double EmptyWindows::uncertain_s(const WindowKind& kind) const {
  return uncertain_of_taken_s(samples_s_.at(key_of(kind))) / kind.calls;
}

void EmptyWindows::probe() {
  probes_s_.push_back(window_s(kProbed));
}

bool EmptyWindows::card_at_work() const {
  return probes_s_.size() >= kFewestProbes && median(probes_s_) > kTimesQuiet * quiet_s_ + kLater_s;
}

bool EmptyWindows::card_at_work_now() {
  forget_probes();
  for (int i = 0; i < kProbes; ++i) probe();
  return card_at_work();
}

}  // namespace gemmlab::submissions
