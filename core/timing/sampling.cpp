#include "core/timing/sampling.h"

#include <algorithm>
#include <cmath>

namespace gemmlab {
namespace {

// Below this a single launch is too close to the clock's cost (events on a GPU: 1 to 5 µs).
constexpr double kGraphBelow_s = 1e-3;
// On the CPU a sample is a row of calls of this length: what making ready for it costs (see Backend::settle)
// stays small beside it.
constexpr double kBatchLength_s = 10e-3;
constexpr double kBatchBelow_s = kBatchLength_s / 2;
// Of an end-to-end sample at least: the host clock's own cost is 30 ns.
constexpr double kHostClockLength_s = 1e-3;
constexpr std::int64_t kMostCallsASample = 1024;
constexpr std::int64_t kMostGraphNodes = 8192;  // tiny shapes: the graph goes round this many of their sets
constexpr std::size_t kMostRounds = 2000;
constexpr int kFewestPilots = 2;
constexpr double kLongerPilot = 10;
constexpr double kShareForOthers = 0.3;
constexpr std::int64_t kLongestStride = 1 << 20;

}  // namespace

Sampling sampling_of(const Device& device, Scope scope, double seconds_per_call, std::int64_t sets) {
  const double seconds = std::max(seconds_per_call, 1e-9);
  const auto calls_in = [&](double length_s) {
    return std::min(kMostCallsASample, static_cast<std::int64_t>(std::ceil(length_s / seconds)));
  };
  // the clock of each call is read by itself, and the sample is their mean
  if (scope == Scope::kEndToEnd) return {Timing::kLaunch, calls_in(kHostClockLength_s)};
  if (device.queues_work && scope == Scope::kKernel && seconds < kGraphBelow_s)
    return {Timing::kGraph, std::min((calls_in(kGraphBelow_s) + sets - 1) / sets * sets, kMostGraphNodes)};
  if (!device.queues_work && seconds < kBatchBelow_s) return {Timing::kBatch, calls_in(kBatchLength_s)};
  return {};
}

std::size_t most_samples(double seconds_per_call) {
  if (seconds_per_call > kVeryLongCall_s) return 1;
  return seconds_per_call > kLongCall_s ? 3 : kMostRounds;
}

std::optional<double> predicted_over(double limit_s, double operations,
                                     const std::function<std::optional<Pilot>(double share)>& pilot) {
  std::optional<double> predicted_s;
  double share = kPilotOperations / operations;
  for (int done = 0;; ++done, share *= kLongerPilot) {
    const std::optional<Pilot> found = pilot(share);
    if (!found) return done < kFewestPilots ? std::nullopt : predicted_s;
    predicted_s = found->seconds / found->share;
    if (*predicted_s <= limit_s) return std::nullopt;
    if (done + 1 >= kFewestPilots && kLongerPilot * found->seconds > limit_s) return predicted_s;
  }
}

std::int64_t stride_of_precise(double own_s, double others_s, std::size_t precise) {
  const double fair = own_s * static_cast<double>(precise) / (kShareForOthers * others_s);
  std::int64_t stride = 1;
  while (stride < kLongestStride && 2 * static_cast<double>(stride) <= fair) stride *= 2;
  return stride;
}

}  // namespace gemmlab
