#pragma once

// GPU submissions without a GPU: what the emulator reported of a call, and how much work it is given.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "submissions/build/build.h"
#include "submissions/judge/checking/kernel_findings.h"
#include "submissions/judge/failures/failure.h"
#include "submissions/judge/processes/callee_process.h"
#include "submissions/rule.h"

namespace gemmlab::submissions {

/// Of one call, for whoever explains it: emulator/exports.h describes the launches.
struct EmulatedCounts {
  Shape shape;
  std::string launches;  ///< JSON, with lines; empty: nothing was counted
  std::string missing;   ///< why not
};

/// Memory to which a callee writes its reports, and what they say.
class EmulatorReports {
 public:
  /// Throws std::runtime_error where there is no memory.
  explicit EmulatorReports(const CalleeSetup& setup);
  ~EmulatorReports();
  EmulatorReports(const EmulatorReports&) = delete;
  EmulatorReports& operator=(const EmulatorReports&) = delete;
  /// To be handed to the callee.
  int fd() const { return fd_; }
  /// The findings of the last call, with lines.
  std::vector<KernelFinding> findings(const Shape& shape);
  /// The whole report with lines; empty where there is none that can be read.
  std::string report() const;

 private:
  std::string raw() const;

  int fd_;
  std::string library_;  ///< where places are looked up
  std::string source_;
  std::map<std::string, std::vector<KernelFinding>>
      known_;  ///< by kinds and places: looking those up takes long
};

/// The limits under which a submission is emulated: what a card does in milliseconds takes seconds.
Limits emulated_limits(Limits limits);

/// `setup`, for the library that was linked with the emulator.
CalleeSetup emulated_setup(CalleeSetup setup, const Build& build, const Limits& limits);

/// What ends the checks: an access that a card would not survive, a kernel without end. `failure` is what the
/// call's end alone says.
std::optional<Failure> ending(std::optional<Failure> failure, const std::vector<KernelFinding>& findings);

/// Whose checks the findings stand beside: of the emulator's own, or of a card's, which sees no access outside.
enum class Beside { kEmulator, kCard };

/// What findings add to the failures of the checks, each pattern and line once: beside the emulator's own checks
/// those that do not end them, beside a card's all but that the emulator ran out of time. What only may be behind a wrong
/// result is left out where there is none.
std::vector<Failure> failures_of(const std::vector<KernelFinding>& findings, Beside beside,
                                 bool c_is_wrong = true);

/// One call of a middle size, counted. `setup` as made by emulated_setup().
EmulatedCounts count_emulated(const CalleeSetup& setup);

}  // namespace gemmlab::submissions
