#include "submissions/judge/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "submissions/judge/explaining/shared_variables.h"
#include "submissions/judge/failures/crash_words.h"

namespace gemmlab::submissions {
namespace {

constexpr std::int64_t kMebi = 1 << 20;
constexpr int kThreadsAProcessor = 4;
constexpr int kFewestThreads = 64;  ///< what students write into num_threads() is seldom more

}  // namespace

void tell(const Surroundings& surroundings, const std::string& doing) {
  if (surroundings.progress) surroundings.progress(doing);
}

Confinement confinement_of(const Limits& limits, const std::string& scratch, const Surroundings& surroundings,
                           bool gpu) {
  Confinement confinement;
  confinement.scratch = scratch;
  confinement.readable = {(gpu ? surroundings.gpu_callee : surroundings.callee).front()};
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
  // what gave the verdict, behind what explains it
  const auto graver = std::find_if(judgement.failures.begin(), judgement.failures.end(),
                                   [&](const Failure& one) { return one.verdict == judgement.verdict; });
  if (graver != judgement.failures.begin() && graver != judgement.failures.end())
    text += " " + graver->explanation;
  const bool some = right > 0 && right < static_cast<std::ptrdiff_t>(outcomes.size());
  if (judgement.verdict == Judged::kIncorrect && some)  // where none is, the explanation says so
    text = fmt::format("Right at {} of {} shapes. {}", right, outcomes.size(), text);
  return text;
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

bool right_so_far(const Judgement& judgement) {
  return std::all_of(judgement.failures.begin(), judgement.failures.end(),
                     [](const Failure& one) { return one.verdict == Judged::kReducedPrecision; });
}

CalleeSetup setup_of(const Judgement& judgement, const Built& built, const Rule& rule,
                     const Surroundings& surroundings) {
  CalleeSetup setup;
  setup.gpu = judgement.submission.device.cuda && surroundings.no_gpu.empty();
  setup.program = setup.gpu ? surroundings.gpu_callee : surroundings.callee;
  setup.library = judgement.build.library;
  setup.solve = rule.solve;
  setup.no_new_code = rule.forbid_libraries && !setup.gpu;
  setup.confinement = confinement_of(rule.limits, built.scratch.path(), surroundings, setup.gpu);
  if (!setup.library.empty()) setup.confinement.readable.push_back(setup.library);
  return setup;
}

namespace {

/// What g++ has seen, where C is wrong and nothing else explains it; where sums are formed, where no line is named.
void point_to_source(Judgement& judgement) {
  std::ifstream file(judgement.submission.path, std::ios::binary);
  const std::string source{std::istreambuf_iterator<char>(file), {}};
  static const std::set<std::string> kUnclear = {
      "uninitialised-variable", "race", "nan", "scattered", "kept-state", "only-small"};
  std::vector<Failure>& failures = judgement.failures;
  const auto unclear = std::find_if(failures.begin(), failures.end(), [](const Failure& one) {
    return one.verdict == Judged::kIncorrect && kUnclear.count(one.pattern) > 0 &&
           one.explanation.find("At line ") == std::string::npos &&
           one.explanation.find("Race on") == std::string::npos;
  });
  const std::string unset_by_text = unset_sum(source);
  if (unclear != failures.end() && !unset_by_text.empty()) {
    Failure cause;
    cause.pattern = "uninitialised-variable";
    cause.shape = unclear->shape;
    cause.explanation = unset_by_text;
    cause.hint = "Set it before the first += : float acc[4] = {}; holds zeros, float acc[4]; holds anything.";
    failures.insert(unclear, cause);
  } else if (unclear != failures.end() && !judgement.build.unset.empty()) {
    const CompilerMessage& unset = judgement.build.unset.front();
    Failure cause;
    cause.pattern = "uninitialised-variable";
    cause.shape = unclear->shape;
    const std::size_t quote = unset.text.find_first_of("'\""),
                      end = unset.text.find_first_of("'\"", quote + 1);
    const std::string name = end == std::string::npos ? "" : unset.text.substr(quote + 1, end - quote - 1);
    const int declared = declared_in(source, name);
    cause.explanation = fmt::format(
        "{}{} is read before anything is stored in it, in line {}, as the compiler warns: it holds what lies "
        "there by chance.",
        name.empty() ? "A variable" : name, declared > 0 ? fmt::format(" (line {})", declared) : "",
        unset.line);
    cause.hint = "Set it before the first += : float acc[4] = {}; holds zeros, float acc[4]; holds anything.";
    failures.insert(unclear, cause);
  }
  const std::string arrays = worst_of(failures) >= Judged::kIncorrect ? arrays_at_one_address(source) : "";
  static const std::set<std::string> kSurer = {
      "same-shared-address", "launch-refused",  "barrier-divergence", "warp-divergence",
      "allocation-failed",   "too-much-shared", "unordered-work",     "remembered"};
  const bool told = std::any_of(failures.begin(), failures.end(),
                                [](const Failure& one) { return kSurer.count(one.pattern) > 0; });
  if (!arrays.empty() && !told) {
    Failure cause;
    cause.pattern = "same-shared-address";
    cause.explanation = fmt::format(
        "{} are both extern __shared__ arrays of one kernel, so they begin at the same address: what is "
        "stored in one "
        "overwrites the other.",
        arrays);
    cause.hint =
        "All extern __shared__ arrays of a kernel are one piece of memory: declare one, and let the second "
        "part begin "
        "behind the first, float* b = a + T * T.";
    failures.insert(failures.begin(), cause);
  }
  const std::string kept = kept_variables(source), sums = lines_of_sums(source);
  for (Failure& one : failures) {
    if (one.verdict != Judged::kIncorrect) continue;
    if (one.pattern == "kept-state" && !kept.empty()) one.explanation += fmt::format(" Kept are: {}.", kept);
    const bool of_terms = one.pattern.rfind("inner-", 0) == 0 || one.pattern == "tile-read-transposed" ||
                          one.pattern == "wrong-element" || one.pattern == "rows-moved" ||
                          one.pattern == "columns-moved" || one.pattern.rfind("transposed", 0) == 0 ||
                          one.pattern == "wrong-dimension";
    if (of_terms && !sums.empty()) one.explanation += fmt::format(" The products are summed in {}.", sums);
  }
}

}  // namespace

void conclude(Judgement& judgement, const Surroundings& surroundings) {
  point_to_source(judgement);
  const bool gpu = judgement.submission.device.cuda, inner_k = judgement.solve.inner_k;
  for (Failure& failure : judgement.failures) {
    failure.explanation = in_order(for_device(failure.explanation, gpu), inner_k);
    failure.hint = in_order(for_device(failure.hint, gpu), inner_k);
  }
  most_telling_first(judgement.failures);
  judgement.verdict = worst_of(judgement.failures);
  judgement.summary = summary_of(judgement);
  judgement.advice = advise(judgement, surroundings);
  for (Advice& one : judgement.advice) one.text = in_order(one.text, inner_k);
  for (std::string& note : judgement.notes) note = in_order(note, inner_k);
}

Judgement unchecked(const Built& built, const Rule& rule, const Options& options,
                    const Surroundings& surroundings) {
  Judgement judgement;
  judgement.submission = built.submission;
  judgement.options = options;
  judgement.solve = rule.solve;
  judgement.build = built.build;
  judgement.isolation = isolation(setup_of(judgement, built, rule, surroundings).confinement);
  const bool gpu = built.submission.device.cuda;
  judgement.emulated = gpu && built.build.ok && !surroundings.no_gpu.empty();
  return judgement;
}

bool may_be_timed(const Judgement& judgement) {
  return judgement.build.ok && !judgement.emulated && judgement.solve.usual() && right_so_far(judgement);
}

}  // namespace gemmlab::submissions
