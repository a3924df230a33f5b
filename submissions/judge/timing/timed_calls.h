#pragma once

// Checks of a timed call besides its time: is C right, was it late, was it remembered?

#include <string>
#include <vector>

#include "submissions/judge/inputs/kept_answers.h"
#include "submissions/judge/processes/callee_process.h"
#include "submissions/judge/timing/timer.h"

namespace gemmlab::submissions {

inline constexpr double kTimedTransfer_s = 20;  ///< in and out of a GPU, over what a call may take

class TimedCalls {
 public:
  TimedCalls(const Limits& limits, bool gpu, TimingResult& result)
      : limits_(limits), gpu_(gpu), result_(result) {}

  void begin_shape();
  void end_shape();
  /// Is the submission's C right? Otherwise the reason is among the result's failures. `look`: asks for it once more.
  bool accepted(const float* c, const Shape& shape, CalleeProcess& process, const KeptAnswers& answers,
                std::int64_t call, const Request& look);
  /// C is not the one that was there when the clock was read.
  void changed_later(const Shape& shape) { result_.failures.push_back(unfinished(shape)); }
  /// What a call of the submission tells besides its time.
  void learn(const CallEnd& end, double time_s, const Shape& shape);

 private:
  void less_precise(const std::vector<Check>& checks, const Shape& shape);
  bool remembered(const Shape& shape, const float* c, const KeptAnswers& answers);
  bool became_right(const Shape& shape, CalleeProcess& process, const KeptAnswers& answers, std::int64_t call,
                    const Request& look);
  void wrong_when_timed(const std::vector<Check>& checks, const Shape& shape, const float* c);

  const Limits& limits_;
  bool gpu_;
  TimingResult& result_;
  std::vector<double> busy_;  ///< processors that worked, of the submission's calls at the shape at hand
};

/// The launches of a GPU's last call, as JSON, of a process that stands still; empty where it does not tell.
std::string launches_of_last_call(CalleeProcess& process);

/// Exact enough for float32.
bool right(const std::vector<Check>& checks);

}  // namespace gemmlab::submissions
