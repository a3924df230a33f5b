#include "submissions/judge/judge.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

#include "core/statistics.h"
#include "submissions/judge/checking/long_indices.h"
#include "submissions/judge/checking/thread_races.h"
#include "submissions/judge/explaining/asked_threads.h"
#include "submissions/judge/explaining/shared_variables.h"
#include "submissions/judge/inputs/shapes.h"
#include "submissions/judge/stages.h"
#include "submissions/sandbox/remove.h"
#include "submissions/solve_shape.h"

namespace gemmlab::submissions {
namespace {

std::vector<Shape> shapes_of(const Options& options) {
  std::vector<Shape> shapes = fixed_shapes();
  const std::vector<Shape> random = random_shapes(options.random_shapes, options.seed);
  shapes.insert(shapes.end(), random.begin(), random.end());
  return shapes;
}

void try_shapes(Judgement& judgement, const Rule& rule, const Surroundings& surroundings, CalleeSetup setup) {
  const AskedThreads asked = asked_threads(judgement.submission);
  // threads of its own would all inherit the one core to which OpenMP binds the first
  setup.bind_openmp = asked.openmp && !asked.own;
  tell(surroundings, "checking");
  judgement.checks = Checker(std::move(setup), rule.limits, surroundings.product)
                         .check(shapes_of(judgement.options), judgement.options.secret);
  judgement.failures = judgement.checks.failures;
  judgement.notes = judgement.checks.notes;
  opened_library(judgement, rule, judgement.checks.opened);
}

/// CPU code with threads that is right: also without optimisation, where a variable that they share lies in memory and not in a
/// register of each? Only wrong numbers count there.
void try_plain(Judgement& judgement, const Rule& rule, const Surroundings& surroundings, CalleeSetup setup) {
  const AskedThreads asked = asked_threads(judgement.submission);
  if (judgement.build.plain_library.empty() || !asked.any() || !judgement.failures.empty()) return;
  setup.library = judgement.build.plain_library;
  setup.confinement.readable.push_back(setup.library);
  setup.bind_openmp = asked.openmp && !asked.own;
  const std::vector<Shape> shapes = {{64, 64, 64}, {101, 89, 67}, {129, 65, 127}, {40, 200, 33}};
  const CheckResult checks =
      Checker(std::move(setup), rule.limits, surroundings.product).check(shapes, judgement.options.secret);
  const auto wrong = std::find_if(checks.failures.begin(), checks.failures.end(), [](const Failure& one) {
    return one.verdict == Judged::kIncorrect && one.shape.has_value();
  });
  if (wrong == checks.failures.end()) return;
  Failure failure;
  failure.pattern = "race";
  failure.shape = wrong->shape;
  const std::string shared = shared_by_threads(judgement.submission);
  failure.explanation = fmt::format(
      "The same code compiled without optimisation (-O0) gives wrong results, at {}: threads use one "
      "variable that "
      "each should have of its own{}. With -O3 it is right by luck, because the compiler keeps it in a "
      "register.",
      in_students_words(*wrong->shape), shared.empty() ? "" : ": " + shared);
  failure.hint =
      "Declare what a thread computes with inside of the parallel loop, or name it in private(...); sums of "
      "all "
      "threads take reduction(+:...) or an atomic.";
  judgement.failures.push_back(failure);
}

/// A tool can say more of wrong numbers and of a touch outside; of code that hangs or cheats it cannot.
bool may_be_sanitized(const Judgement& judgement) {
  return std::all_of(judgement.failures.begin(), judgement.failures.end(), [](const Failure& one) {
    return one.verdict <= Judged::kIncorrect || one.verdict == Judged::kOutOfBounds;
  });
}

/// On the device that the submission is written for.
void run_natively(Judgement& judgement, const Rule& rule, const Surroundings& surroundings,
                  const CalleeSetup& setup) {
  try_shapes(judgement, rule, surroundings, setup);
  try_plain(judgement, rule, surroundings, setup);
  if (!judgement.build.thread_program.empty() && judgement.failures.empty()) {
    auto failure = race_of_threads(judgement.build.thread_program, surroundings.work, rule.limits,
                                   shared_by_threads(judgement.submission));
    if (failure) judgement.failures.push_back(*std::move(failure));
  }
  if (!setup.gpu && judgement.failures.empty()) {
    if (auto failure = overflowing_index(setup)) judgement.failures.push_back(*std::move(failure));
  }
  if (judgement.options.sanitize && setup.gpu && may_be_sanitized(judgement)) {
    tell(surroundings, "sanitizing");
    judgement.sanitizer = sanitize(setup, rule.limits);
    judgement.failures.insert(judgement.failures.end(), judgement.sanitizer.failures.begin(),
                              judgement.sanitizer.failures.end());
  }
}

/// GPU code on the emulator: its checks are the submission's where there is no GPU; where there is one, they add
/// what they find.
void emulate(Judgement& judgement, const Built& built, const Rule& rule, const Surroundings& surroundings,
             CalleeSetup setup) {
  const Limits limits = emulated_limits(rule.limits);
  setup = emulated_setup(setup, judgement.build, limits);
  setup.program = surroundings.callee;
  setup.confinement.bare = true;
  setup.confinement.readable = {setup.program.front(), setup.library};
  setup.no_new_code = rule.forbid_libraries;
  tell(surroundings, "emulating");
  CheckResult checks = Checker(setup, limits, surroundings.product)
                           .check(shapes_to_emulate(shapes_of(judgement.options)), judgement.options.secret);
  judgement.findings = checks.findings;
  if (judgement.emulated) {
    judgement.failures = checks.failures;
    judgement.notes = checks.notes;
    judgement.checks = std::move(checks);
    opened_library(judgement, rule, judgement.checks.opened);
    judgement.notes.insert(
        judgement.notes.begin(),
        "Checked by emulation, without a GPU: there are no times. Of the larger shapes, the "
        "inner dimension N is shorter than on a GPU; the longest of all are left out.");
    if (judgement.build.kernels.empty())
      judgement.notes.push_back(
          "Without nvcc it cannot be told how many registers a thread takes: of large blocks a card may "
          "refuse the launch.");
  } else {
    const std::vector<Failure> found =
        failures_of(judgement.findings, Beside::kCard, !right_so_far(judgement));
    judgement.failures.insert(judgement.failures.end(), found.begin(), found.end());
  }
  if (judgement.emulated && judgement.options.sanitize)
    judgement.sanitizer.missing.push_back("compute-sanitizer needs a GPU; the emulator looked for the same");
  if (judgement.emulated && judgement.options.counters) judgement.counters.missing = "they need a GPU";
  if (judgement.emulated && judgement.failures.empty()) {
    if (auto failure = overflowing_index_emulated(setup)) judgement.failures.push_back(*std::move(failure));
  }
  if (!right_so_far(judgement)) return;
  if (!rule.solve.types.plain()) {
    judgement.emulated_counts.missing = "times are predicted of float32 alone";
    return;
  }
  tell(surroundings, "counting accesses");
  judgement.emulated_counts = count_emulated(setup);
  if (!judgement.emulated_counts.launches.empty() && !judgement.build.kernels.empty())
    judgement.card_code =
        card_code(judgement.submission, rule, built.scratch.path(), surroundings.predicted_arch);
}

}  // namespace

ScratchFolder::ScratchFolder(const std::string& under) : path_(under + "/submission-XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no scratch folder can be made in " + under);
  chmod(path_.c_str(), 0755);
}

ScratchFolder::~ScratchFolder() {
  remove_folder(path_);
}

Built compile(const Submission& submission, const Rule& rule, const Options& options,
              const Surroundings& surroundings) {
  Built built{submission, ScratchFolder(surroundings.work), {}};
  const bool device = surroundings.no_gpu.empty();
  built.build = build(submission, rule, built.scratch.path(),
                      {surroundings.cuda_arch, device, options.emulate || !device});
  return built;
}

Judgement check(const Built& built, const Rule& rule, const Options& options,
                const Surroundings& surroundings) {
  Judgement judgement = unchecked(built, rule, options, surroundings);
  if (!judgement.build.ok) {
    judgement.summary = summary_of(judgement);
    return judgement;
  }
  const std::string& not_emulated = judgement.build.not_emulated;
  if (judgement.emulated && !not_emulated.empty())
    throw CannotBeJudged(fmt::format("{}, {} (there is none to be used here: {})", judgement.submission.name,
                                     not_emulated, surroundings.no_gpu));
  const CalleeSetup setup = setup_of(judgement, built, rule, surroundings);
  if (!judgement.emulated) run_natively(judgement, rule, surroundings, setup);
  if (!judgement.build.emulated_library.empty()) emulate(judgement, built, rule, surroundings, setup);
  if (judgement.options.timing && !judgement.emulated && !rule.solve.usual())
    judgement.notes.push_back(
        "It was not timed: the ladder and the library are called by the usual solve, of float32.");
  if (!not_emulated.empty()) judgement.notes.push_back("It was not emulated: " + not_emulated + ".");
  conclude(judgement, surroundings);
  return judgement;
}

}  // namespace gemmlab::submissions
