#pragma once

// From a file to a verdict.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "operations/gemm/reference.h"
#include "submissions/build/build.h"
#include "submissions/judge/checking/checker.h"
#include "submissions/judge/checking/emulation.h"
#include "submissions/judge/checking/sanitizer.h"
#include "submissions/judge/explaining/advice.h"
#include "submissions/judge/explaining/counters.h"
#include "submissions/judge/failures/failure.h"
#include "submissions/judge/inputs/secret.h"
#include "submissions/judge/timing/timer.h"
#include "submissions/rule.h"
#include "submissions/sandbox/sandbox.h"

namespace gemmlab::submissions {

struct Options {
  std::uint64_t seed = 0;           ///< of random shapes and of the order of turns
  Secret secret = Secret::drawn();  ///< of all inputs; nothing of it reaches a process with submitted code
  int random_shapes = 0;            ///< checked besides the fixed ones
  bool timing = true;
  bool alone = true;  ///< not one of a class: also timed at the rule's `timed_alone`
  bool sanitize = false;
  bool counters = false;
  Metrics metrics = {};  ///< that are counted
  bool emulate = false;  ///< GPU: also emulate where there is a GPU
};

/// The least time that the machine's measured ceilings allow for a product, and which of them binds; 0 where
/// unknown.
struct LeastTime {
  double seconds = 0;
  std::string bound_by;
};

/// What the judge needs of its surroundings.
struct Surroundings {
  std::vector<std::string> program;  ///< the command that becomes a callee of the suite's own implementations
  std::vector<std::string> callee;   ///< of submissions that need no GPU: a small program, without kernels
  std::vector<std::string> gpu_callee;  ///< of submissions on a GPU, likewise
  std::string work;                     ///< folder for scratch folders; others may enter it
  std::string cuda_arch;                ///< "90a"; empty: no GPU here
  std::string predicted_arch;           ///< of the card whose times are predicted
  std::string no_gpu;                   ///< why none can be used; empty: one can
  DoubleProduct product;
  std::function<LeastTime(const Device& device, const Shape& shape)> least_time;
  /// Why an implementation cannot run here; empty where it can.
  std::function<std::string(const std::string& id)> unavailable;
  std::function<std::string(const std::string& id)> summary;  ///< an implementation's own line
  /// Told what is being done, for a progress line.
  std::function<void(const std::string& doing)> progress;
};

struct Judgement {
  Submission submission;
  Options options;
  SolveForm solve;
  Judged verdict = Judged::kBuildFailed;
  std::string summary;
  Build build;
  Isolation isolation;
  CheckResult checks;
  std::optional<TimingResult> timing;
  SanitizerResult sanitizer;
  Counters counters;
  bool emulated = false;                ///< it ran on the emulator alone, without a GPU
  std::vector<KernelFinding> findings;  ///< of the emulator
  EmulatedCounts emulated_counts;
  CardCode card_code;             ///< for the card whose times are predicted from them
  std::vector<Failure> failures;  ///< most telling first
  std::vector<Advice> advice;
  std::vector<std::string> notes;
};

/// A folder for one submission, removed by the destructor.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& under);
  ~ScratchFolder();
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// A submission that has been compiled, or not.
struct Built {
  Submission submission;
  ScratchFolder scratch;
  Build build;
};

/// Compiles; several may do so at a time, each on a thread that stays until it is done. Throws
/// std::runtime_error only where the machine lacks what it takes.
Built compile(const Submission& submission, const Rule& rule, const Options& options,
              const Surroundings& surroundings);

/// Checks what was compiled: is it right? Several may be checked at a time. Throws std::runtime_error only where the
/// judge itself cannot work (no process available) or, as CannotBeJudged, where GPU code needs a GPU and there is none.
Judgement check(const Built& built, const Rule& rule, const Options& options,
                const Surroundings& surroundings);

/// What is to be timed, before any check: the judgement then holds what timing finds, and nothing of checks.
Judgement unchecked(const Built& built, const Rule& rule, const Options& options,
                    const Surroundings& surroundings);

/// Is it right, and not only in an emulation, so that times of it mean something?
bool may_be_timed(const Judgement& judgement);

/// Adds times, and counters where they are asked for, to the judgement of what is right; one at a time. The ladder is
/// left out where its timings are given: they were taken before, beside the library.
void time(Judgement& judgement, const Built& built, const Rule& rule, const Surroundings& surroundings,
          const std::vector<Timing>& ladder);

/// The ladder and the library alone, for a class: with three times the rule's rounds, since all are compared with them.
TimingResult time_ladder(const Device& device, const Rule& rule, const Options& options,
                         const Surroundings& surroundings);

/// Advice on what to try next, from the submission's numbers.
std::vector<Advice> advise(const Judgement& judgement, const Surroundings& surroundings);

}  // namespace gemmlab::submissions
