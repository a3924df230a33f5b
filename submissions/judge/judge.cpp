#include "submissions/judge/judge.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <utility>

#include "core/statistics.h"
#include "submissions/judge/asked_threads.h"
#include "submissions/judge/shapes.h"

namespace gemmlab::submissions {
namespace {

constexpr std::int64_t kMebi = 1 << 20;
constexpr int kThreadsAProcessor = 4;
constexpr int kThreadsMore = 16;
constexpr int kFewestThreads = 64;  ///< what students write into num_threads() is seldom more

void tell(const Surroundings& surroundings, const std::string& doing) {
  if (surroundings.progress) surroundings.progress(doing);
}

Confinement confinement_of(const Limits& limits, const std::string& scratch, const Surroundings& surroundings,
                           bool gpu) {
  Confinement confinement;
  confinement.scratch = scratch;
  confinement.readable = {gpu ? surroundings.program.front() : surroundings.callee.front()};
  confinement.bare = !gpu;
  confinement.memory_bytes = limits.memory_mib * kMebi;
  confinement.file_bytes = limits.file_mib * kMebi;
  confinement.threads =
      limits.threads > 0
          ? limits.threads
          : std::max(
                kFewestThreads,
                kThreadsAProcessor * static_cast<int>(std::thread::hardware_concurrency()) + kThreadsMore);
  confinement.gpu = gpu;
  return confinement;
}

/// The submission, its twin, the ladder and the library.
std::vector<Racer> racers_of(const DeviceRule& device, const CalleeSetup& submission,
                             const std::string& scratch, const std::string& twins_scratch,
                             const Surroundings& surroundings, std::vector<std::string>& notes) {
  std::vector<Racer> racers{{kSubmission, kSubmission, kSubmission, submission}};
  // in a scratch folder of its own: as root, one that belongs to another user would be taken from the first
  CalleeSetup twin = submission;
  twin.confinement.scratch = twins_scratch;
  twin.confinement.readable.push_back(submission.library);
  racers.push_back({kTwin, "the submission's twin", kTwin, twin});
  const auto add = [&](const Rung& rung, const char* role) {
    const std::string reason = surroundings.unavailable(rung.id);
    if (!reason.empty()) {
      notes.push_back(fmt::format("{} is not in the comparison: {}", rung.label, reason));
      return false;
    }
    CalleeSetup setup = submission;
    setup.library.clear();
    setup.program = surroundings.program;
    setup.confinement.bare = false;
    setup.confinement.readable = {surroundings.program.front()};
    setup.confinement.scratch =
        scratch;  // one that belongs to another user would be taken from the submission
    setup.implementation = rung.id;
    setup.parameters = rung.parameters;
    racers.push_back({rung.name, rung.label, role, setup});
    return true;
  };
  for (const Rung& rung : device.ladder) add(rung, kLadder);
  std::vector<std::string> before = notes;
  for (const Rung& rung : device.library) {
    if (!add(rung, kLibrary)) continue;
    notes = before;  // one library is enough
    break;
  }
  return racers;
}

void sort_failures(std::vector<Failure>& failures) {
  std::stable_sort(failures.begin(), failures.end(),
                   [](const Failure& one, const Failure& other) { return one.verdict > other.verdict; });
}

void opened_library(Judgement& judgement, const Rule& rule, const std::vector<std::string>& opened) {
  if (opened.empty()) return;
  std::string names;
  for (const std::string& name : opened) names += (names.empty() ? "" : ", ") + name;
  if (!rule.forbid_libraries) {
    judgement.notes.push_back("It opens at run time: " + names + ".");
    return;
  }
  const bool known = std::any_of(judgement.failures.begin(), judgement.failures.end(),
                                 [](const Failure& one) { return one.pattern == "opened-library"; });
  if (known) return;
  Failure failure;
  failure.verdict = Judged::kDishonest;
  failure.pattern = "opened-library";
  failure.explanation = fmt::format("It opens a library at run time: {}.", names);
  failure.hint = "The product has to be computed by the submitted code.";
  judgement.failures.push_back(failure);
}

std::string summary_of(const Judgement& judgement) {
  const auto& outcomes = judgement.checks.outcomes;
  const auto right =
      std::count_if(outcomes.begin(), outcomes.end(), [](const ShapeOutcome& one) { return one.right; });
  switch (judgement.verdict) {
    case Judged::kCorrect:
      return fmt::format("Right at all {} shapes.", outcomes.size());
    case Judged::kBuildFailed:
      return judgement.build.ok && !judgement.failures.empty()
                 ? judgement.failures.front().explanation
                 : "It could not be built: " + judgement.build.reason;
    default:
      break;
  }
  std::string text = judgement.failures.empty() ? std::string() : judgement.failures.front().explanation;
  if (judgement.verdict == Judged::kIncorrect)
    text = fmt::format("Right at {} of {} shapes. {}", right, outcomes.size(), text);
  return text;
}

std::vector<Shape> shapes_of(const Options& options) {
  std::vector<Shape> shapes = fixed_shapes();
  const std::vector<Shape> random = random_shapes(options.random_shapes, options.seed);
  shapes.insert(shapes.end(), random.begin(), random.end());
  return shapes;
}

void check(Judgement& judgement, const Rule& rule, const Surroundings& surroundings, CalleeSetup setup) {
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

bool may_be_timed(const Judgement& judgement) {
  return std::all_of(judgement.failures.begin(), judgement.failures.end(),
                     [](const Failure& one) { return one.verdict == Judged::kReducedPrecision; });
}

/// A tool can say more of wrong numbers and of a touch outside; of code that hangs or cheats it cannot.
bool may_be_sanitized(const Judgement& judgement) {
  return std::all_of(judgement.failures.begin(), judgement.failures.end(), [](const Failure& one) {
    return one.verdict <= Judged::kIncorrect || one.verdict == Judged::kOutOfBounds;
  });
}

/// Above what the machine can do: the ceiling, the clock or the submission is wrong, and a person has to
/// look.
void too_fast(Judgement& judgement, const Surroundings& surroundings) {
  constexpr double kBeyondDoubt = 1.2;
  for (const Timing& timing : judgement.timing->timings) {
    if (timing.role != kSubmission || timing.samples_s.empty()) continue;
    const LeastTime least = surroundings.least_time(judgement.submission.device, timing.shape);
    const double share = least.seconds / median(timing.samples_s);
    if (share > kBeyondDoubt)
      judgement.notes.push_back(
          fmt::format("At {} it is {:.1f} times faster than this machine's measured ceiling allows: "
                      "do not believe this time before you have read the source.",
                      in_students_words(timing.shape), share));
  }
}

void time(Judgement& judgement, const Rule& rule, const Surroundings& surroundings,
          const CalleeSetup& setup) {
  tell(surroundings, "timing");
  const DeviceRule& device = setup.gpu ? rule.gpu : rule.cpu;
  const ScratchFolder scratch(surroundings.work), twins(surroundings.work);
  std::vector<Racer> racers =
      racers_of(device, setup, scratch.path(), twins.path(), surroundings, judgement.notes);
  // where all are the same user, the system counts the others' threads, too
  const int others = static_cast<int>(racers.size()) *
                     (static_cast<int>(std::thread::hardware_concurrency()) + kThreadsMore);
  for (Racer& racer : racers) {
    if (!racer.setup.library.empty()) racer.setup.confinement.threads += others;
  }
  judgement.timing = time_submission(std::move(racers), device, rule, surroundings.product,
                                     judgement.options.secret, judgement.options.seed);
  const TimingResult& timing = *judgement.timing;
  if (judgement.failures.empty()) judgement.failures = timing.imprecise;
  judgement.failures.insert(judgement.failures.end(), timing.failures.begin(), timing.failures.end());
  judgement.notes.insert(judgement.notes.end(), timing.notes.begin(), timing.notes.end());
  too_fast(judgement, surroundings);
  opened_library(judgement, rule, timing.opened);
}

/// On the device that the submission is written for.
void run_natively(Judgement& judgement, const Rule& rule, const Surroundings& surroundings,
                  const CalleeSetup& setup) {
  const Options& options = judgement.options;
  check(judgement, rule, surroundings, setup);
  if (options.sanitize && setup.gpu && may_be_sanitized(judgement)) {
    tell(surroundings, "sanitizing");
    judgement.sanitizer = sanitize(setup, rule.limits);
    judgement.failures.insert(judgement.failures.end(), judgement.sanitizer.failures.begin(),
                              judgement.sanitizer.failures.end());
  }
  if (options.timing && may_be_timed(judgement)) time(judgement, rule, surroundings, setup);
  if (options.counters && setup.gpu && may_be_timed(judgement)) {
    tell(surroundings, "counting");
    judgement.counters = count(setup, rule.limits, rule.gpu.timed);
  }
}

/// GPU code on the emulator: its checks are the submission's where there is no GPU; where there is one, they add
/// what they find.
void emulate(Judgement& judgement, const Rule& rule, const Surroundings& surroundings, CalleeSetup setup) {
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
        "inner dimension N is shorter than on a GPU.");
  } else {
    const std::vector<Failure> found = failures_of(judgement.findings, Beside::kCard);
    judgement.failures.insert(judgement.failures.end(), found.begin(), found.end());
  }
  if (judgement.emulated && judgement.options.sanitize)
    judgement.sanitizer.missing.push_back("compute-sanitizer needs a GPU; the emulator looked for the same");
  if (judgement.emulated && judgement.options.counters) judgement.counters.missing = "they need a GPU";
  if (!may_be_timed(judgement)) return;
  tell(surroundings, "counting accesses");
  judgement.emulated_counts = count_emulated(setup);
}

}  // namespace

ScratchFolder::ScratchFolder(const std::string& under) : path_(under + "/submission-XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no scratch folder can be made in " + under);
  chmod(path_.c_str(), 0755);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Built compile(const Submission& submission, const Rule& rule, const Options& options,
              const Surroundings& surroundings) {
  Built built{submission, ScratchFolder(surroundings.work), {}};
  const bool device = surroundings.no_gpu.empty();
  built.build = build(submission, rule, built.scratch.path(),
                      {surroundings.cuda_arch, device, options.emulate || !device});
  return built;
}

Judgement judge(const Built& built, const Rule& rule, const Options& options,
                const Surroundings& surroundings) {
  const Submission& submission = built.submission;
  Judgement judgement;
  judgement.submission = submission;
  judgement.options = options;
  const bool gpu = submission.device == Device::kGpu;
  const bool emulated = gpu && !surroundings.no_gpu.empty();
  const Confinement confinement =
      confinement_of(rule.limits, built.scratch.path(), surroundings, gpu && !emulated);
  judgement.isolation = isolation(confinement);
  judgement.build = built.build;
  if (!judgement.build.ok) {
    judgement.summary = summary_of(judgement);
    return judgement;
  }
  CalleeSetup setup;
  setup.program = gpu && !emulated ? surroundings.program : surroundings.callee;
  setup.gpu = gpu;
  setup.library = judgement.build.library;
  setup.no_new_code = rule.forbid_libraries && !gpu;
  setup.confinement = confinement;
  if (!setup.library.empty()) setup.confinement.readable.push_back(setup.library);
  judgement.emulated = emulated;
  if (judgement.emulated && !judgement.build.not_emulated.empty())
    throw CannotBeJudged(fmt::format("{}, {} (there is none to be used here: {})", submission.name,
                                     judgement.build.not_emulated, surroundings.no_gpu));
  if (!judgement.emulated) run_natively(judgement, rule, surroundings, setup);
  if (!judgement.build.emulated_library.empty()) emulate(judgement, rule, surroundings, setup);
  if (!judgement.build.not_emulated.empty())
    judgement.notes.push_back("It was not emulated: " + judgement.build.not_emulated + ".");
  sort_failures(judgement.failures);
  judgement.verdict = judgement.failures.empty() ? Judged::kCorrect : judgement.failures.front().verdict;
  judgement.summary = summary_of(judgement);
  judgement.advice = advise(judgement, surroundings);
  return judgement;
}

}  // namespace gemmlab::submissions
