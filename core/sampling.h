#pragma once

// The rule by which samples are made and by which there are enough of them: subjects are measured by it, and
// plans estimated.

#include <cstddef>
#include <cstdint>

#include "core/backend.h"

namespace gemmlab {

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

/// Short calls are strung together, so that the launch and the clock are not what is measured; in a graph
/// each of the `sets` in its turn.
Sampling sampling_of(Device device, Scope scope, double seconds_a_call, std::int64_t sets);

/// How many samples a point gets at the most, however little is known of it by then.
std::size_t most_samples(double seconds_a_call);

}  // namespace gemmlab
