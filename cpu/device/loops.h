#pragma once

// Loops that ceilings are measured with, compiled once for each isa like the methods, chosen at run time.

#include <cstdint>

namespace gemmlab::cpu {

/// Floats that a round of `sum` reads at most.
inline constexpr std::int64_t kSumStep = 256;

/// What one isa's objects offer besides the methods.
struct Loops {
  const char* fma_how;  ///< what an iteration of `fma` does
  /// Runs `iterations` rounds of independent multiply-adds in registers and returns the
  /// floating-point operations done.
  double (*fma)(std::int64_t iterations);
  /// The sum of `count` floats, read `repeats` times over, in many partial sums. As fast as the nearest
  /// cache where `values` starts at a cache line and `count` is a multiple of kSumStep: the rest is added
  /// one by one.
  float (*sum)(const float* values, std::int64_t count, std::int64_t repeats);
};

/// Those of the widest isa of this machine, or of a named one that the machine has.
const Loops& widest_loops();
const Loops& loops_of(const char* isa);

}  // namespace gemmlab::cpu
