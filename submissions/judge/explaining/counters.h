#pragma once

// Hardware counters of one call of a GPU submission, through NVIDIA Nsight Compute: the reasons behind its
// time. The driver says which: those of `gemmlab profile` (analysis/counters/metrics.py), which explains them.

#include <map>
#include <string>
#include <vector>

#include "core/inputs/matrix.h"
#include "submissions/judge/processes/callee_process.h"
#include "submissions/rule.h"

namespace gemmlab::submissions {

struct Metric {
  std::string name;
  std::string unit;
  std::string how;                 ///< over the kernels of a call: "sum", "share" (by their time) or "ratio"
  std::vector<std::string> names;  ///< ncu's, of which a card may know only the second
  std::string over;                ///< ncu's name for what a ratio is divided by
};

struct Metrics {
  std::string time;  ///< ncu's name for a kernel's time
  std::vector<Metric> rows;
};

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
Counters count(const CalleeSetup& setup, const Limits& limits, const std::vector<Shape>& shapes,
               const Metrics& metrics);

/// From what `ncu --csv --page raw --print-units base` writes: sums over kernels, and shares weighted by the
/// kernels' times. A counter that the card does not know is left out.
std::map<std::string, Counter> counters_in(const std::string& csv, const Metrics& metrics);

}  // namespace gemmlab::submissions
