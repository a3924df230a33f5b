#pragma once

// First calls: every sample is a process of its own that is started, measured once, and gone.

#include <vector>

#include "runner/execution/supervisor.h"

namespace gemmlab::runner {

inline constexpr std::size_t kFewestFirstCalls = 10;  // the median's 99 % interval exists from 8 on
inline constexpr std::size_t kMostFirstCalls = 50;

/// Measures the request's points (all of scope first-call) in interleaved rounds. `on_case` and `on_tick` as
/// Supervisor::measure has them. Adds the seconds of all processes to the phases of the records: "timed" is
/// what the samples cover, "start_up" what starting and checking them cost besides. `unavailable`: as
/// Supervisor::facts() has it.
void measure_first_calls(const GroupRequest& request, const Json& unavailable,
                         const Supervisor::OnCase& on_case, const Supervisor::OnTick& on_tick);

}  // namespace gemmlab::runner
