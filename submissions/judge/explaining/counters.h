#pragma once

// Hardware counters of one call of a GPU submission, through NVIDIA Nsight Compute: the reasons behind its
// time. `gemmlab profile` asks for the same ones, under the same names.

#include <map>
#include <string>
#include <vector>

#include "core/inputs/matrix.h"
#include "submissions/judge/processes/callee_process.h"
#include "submissions/rule.h"

namespace gemmlab::submissions {

struct Counter {
  double value = 0;
  std::string unit;  ///< byte, sector, count or share (of 1)
};

struct Counters {
  std::map<std::string, Counter> values;  ///< empty where nothing was counted
  Shape shape;                            ///< at which
  std::string missing;                    ///< why there are none, where they were asked for
};

/// Counts over all kernels of one call at the largest of `shapes` that takes no more than moments under the
/// tool, which repeats each kernel for some counters at a time. `setup` as for checks.
Counters count(const CalleeSetup& setup, const Limits& limits, const std::vector<Shape>& shapes);

/// From what `ncu --csv --page raw --print-units base` writes: sums over kernels, and shares weighted by the
/// kernels' times. A counter that the card does not know is left out.
std::map<std::string, Counter> counters_in(const std::string& csv);

}  // namespace gemmlab::submissions
