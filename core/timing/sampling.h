#pragma once

// How samples are formed and when there are enough of them. Points are measured by these rules, and plans are
// estimated by them.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "core/backend.h"

namespace gemmlab {

inline constexpr double kWarmUp_s = 20e-3;
/// A pilot of this many operations estimates the time of the whole; work of up to four times as many is run
/// without a pilot.
inline constexpr double kPilotOperations = 2e8;

/// What a call on a part of the work took, and which share of the whole's operations it had.
struct Pilot {
  double seconds = 0;
  double share = 1;
};

/// Seconds of a call on the whole of `operations`, where pilots say that it passes `limit_s`; nullopt where it may be
/// tried. `pilot` runs a part of about the share it is given, or says nullopt where none is short enough. Each pilot is
/// ten times as long as the one before: what a call does once for all rows (copying B into tiles, waking threads)
/// weighs on a short one. Nothing is left out before the second; further ones follow as long as they are sure to
/// stay under the limit themselves.
std::optional<double> predicted_over(double limit_s, double operations,
                                     const std::function<std::optional<Pilot>(double share)>& pilot);

/// A call this long needs no more than three samples: its own length averages the machine's noise.
inline constexpr double kLongCall_s = 1;
inline constexpr double kVeryLongCall_s = 10;  // one sample is enough
inline constexpr double kWakeBelow_s = 50e-3;  // longer calls do not notice what waking their threads costs
inline constexpr double kTwinBelow_s = 0.1;    // a longer sample is taken too seldom to tell of noise
inline constexpr std::size_t kFewestForComparison = 8;  // of 99 %, by which differences are judged

/// What one sample is.
struct Sampling {
  Timing timing = Timing::kLaunch;
  std::int64_t calls = 1;
};

/// Short calls are batched, so that neither the launch nor the clock dominates; a graph replays each of the
/// `sets` in turn.
Sampling sampling_of(const Device& device, Scope scope, double seconds_per_call, std::int64_t sets);

/// The most samples that a point takes, however imprecise it is by then.
std::size_t most_samples(double seconds_per_call);

/// A point that is precise goes on while others of its group still need rounds, so that they are compared in
/// rounds that both took part in: in every round, or in every 2nd, 4th, ..., so that all `precise` points
/// together add about a third to what the others cost. `own_s` is what one sample of it takes, `others_s`
/// what a round takes the points that still need rounds. A power of two: the rounds of one stride lie among
/// those of the shorter.
std::int64_t stride_of_precise(double own_s, double others_s, std::size_t precise);

}  // namespace gemmlab
