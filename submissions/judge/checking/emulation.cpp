#include "submissions/judge/checking/emulation.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "core/inputs/inputs.h"
#include "core/records/read_json.h"
#include "emulator/lines.h"
#include "submissions/solve_shape.h"

namespace gemmlab::submissions {
namespace {

using Json = nlohmann::ordered_json;

constexpr off_t kLargestReport = 32 << 20;
constexpr double kCall_s = 60;         ///< of one call, at the least
constexpr double kBusy = 3;            ///< what a busy machine may make of the emulator's own seconds
constexpr double kSubmission_s = 300;  ///< of all calls, at the least
constexpr double kCounted_s = 10;      ///< of a call that is counted, by the emulator's own clock
constexpr double kAnswer_s = 10;
// What the system counts against a process as soon as it is reserved; of a card's memory only what is touched is taken.
constexpr std::int64_t kRoomBytes = std::int64_t{256} << 20;
constexpr std::int64_t kMostHostBytes = std::int64_t{768} << 20;

/// What tells one set of findings from another before their lines are known.
std::string signature(const Json& findings) {
  std::string text;
  for (const Json& one : findings) {
    if (!one.is_object()) continue;
    for (const char* key : {"kind", "kernel", "pc", "other_pc", "array"})
      text += (one.contains(key) ? one.at(key).dump() : "") + "|";
  }
  return text;
}

bool ends_the_checks(const Failure& failure) {
  return failure.verdict == Judged::kOutOfBounds || failure.verdict == Judged::kCrashed ||
         failure.verdict == Judged::kTimeout;
}

Request counted_call(std::int64_t side) {
  Request request = call_at({side, side, side});
  request.profiled = 1;
  return request;
}

/// The launches of one call; why there are none is said in `missing`.
std::string launches_at(const CalleeSetup& given, std::int64_t side, std::string& missing) {
  CalleeSetup setup = given;
  setup.emulated_s = kCounted_s;
  const EmulatorReports reports(setup);
  setup.report_fd = reports.fd();
  const Shape shape{side, side, side};
  setup.matrices = Matrices::for_shapes({shape}, setup.solve.types);
  setup.writable_inputs = true;
  CalleeProcess process(setup);
  if (process.ready(kStart_s).reply.said != Said::kReady ||
      process.load(kBusy * kCounted_s).reply.said != Said::kLoaded) {
    missing = "the process that makes the call did not start";
    return {};
  }
  setup.matrices.fill_with_ones(shape);
  const CallEnd end = process.ask(counted_call(side), kBusy * kCounted_s + kAnswer_s);
  if (end.how != CallEnd::How::kAnswered || end.reply.said != Said::kReturned || end.reply.reported == 0) {
    missing =
        fmt::format("a counted call at {} did not end within {:g} s", in_students_words(shape), kCounted_s);
    return {};
  }
  const Json report = read_json(reports.report());
  const bool whole = report.is_object() && report.contains("launches") && report.at("launches").is_array();
  if (whole && report.value("launches_left_out", 0) == 0) return report.at("launches").dump();
  if (whole) {
    missing = fmt::format("a call at {} launches more than {} kernels", in_students_words(shape),
                          report.at("launches").size());
    return {};
  }
  missing = "the emulator's report cannot be read";
  return {};
}

}  // namespace

EmulatorReports::EmulatorReports(const CalleeSetup& setup)
    : fd_(memfd_create("gemmlab-report", MFD_CLOEXEC)),
      library_(setup.library),
      source_(setup.emulated_source) {
  if (fd_ < 0) throw std::runtime_error("no memory for the emulator's report");
}

EmulatorReports::~EmulatorReports() {
  close(fd_);
}

std::string EmulatorReports::raw() const {
  struct stat facts {};
  if (fstat(fd_, &facts) != 0 || facts.st_size <= 0 || facts.st_size > kLargestReport) return {};
  std::string text(static_cast<std::size_t>(facts.st_size), '\0');
  return pread(fd_, text.data(), text.size(), 0) == facts.st_size ? text : std::string();
}

std::string EmulatorReports::report() const {
  const std::string text = raw();
  if (text.empty()) return {};
  try {
    if (nested_too_deep(text)) return {};
    return emulation::with_lines(text, library_, source_);
  } catch (const std::exception&) {
    return {};  // written by a process that ran submitted code: of any form
  }
}

std::vector<KernelFinding> EmulatorReports::findings(const Shape& shape) {
  const Json said = read_json(raw());
  if (!said.is_object() || !said.contains("findings")) return {};
  const std::string places = signature(said.at("findings"));
  const auto known = known_.find(places);
  std::vector<KernelFinding> found = known != known_.end() ? known->second : findings_from(report(), shape);
  if (known == known_.end()) known_[places] = found;
  for (KernelFinding& one : found) one.shape = shape;
  return found;
}

Limits emulated_limits(Limits limits) {
  limits.call_s = std::max(limits.call_s, kCall_s);
  limits.submission_s = std::max(limits.submission_s, kSubmission_s);
  return limits;
}

CalleeSetup emulated_setup(CalleeSetup setup, const Build& build, const Limits& limits) {
  setup.gpu = setup.confinement.gpu = false;
  setup.library = build.emulated_library;
  setup.emulated_source = build.emulated_source;
  setup.emulated_s = limits.call_s / kBusy;
  std::int64_t& memory = setup.confinement.memory_bytes;
  setup.emulated_bytes = memory;
  memory = std::min(memory, kMostHostBytes) + memory + memory / 4 + kRoomBytes;
  for (const KernelReport& kernel : build.kernels) setup.emulated_registers[kernel.name] = kernel.registers;
  return setup;
}

std::optional<Failure> ending(std::optional<Failure> failure, const std::vector<KernelFinding>& findings) {
  // memory that was refused, or work that came too late, is what lies behind a bad address
  if (failure && failure->verdict != Judged::kOutOfBounds && failure->pattern != "device-error" &&
      failure->pattern != "misaligned-address" && failure->pattern != "too-slow")
    return failure;
  std::optional<Failure> worst;
  int most = 0;
  if (failure && failure->pattern == "device-error") {
    // an error's number explains nothing: what ended the kernel does
    for (const KernelFinding& one : findings) {
      auto cause = failure_of(one);
      if (!cause || !one.fatal || ends_the_checks(*cause)) continue;
      cause->verdict = std::max(cause->verdict, failure->verdict);
      return cause;
    }
  }
  for (const KernelFinding& one : findings) {
    auto found = failure_of(one);
    if (!found || !ends_the_checks(*found)) continue;
    // a write does more harm than the reads before it
    const int weight = one.fatal ? 3 : one.operation != "read" ? 2 : 1;
    if (weight <= most) continue;
    most = weight;
    worst = std::move(found);
  }
  return worst ? worst : failure;
}

namespace {

/// Without a barrier, whoever comes first reads what others are about to write: the race is what to tell of.
bool follows_from_race(const KernelFinding& finding, const std::vector<KernelFinding>& findings) {
  return finding.kind == "uninitialised-shared" &&
         std::any_of(findings.begin(), findings.end(), [&](const KernelFinding& one) {
           return one.kind == "race" && one.kernel == finding.kernel && one.array == finding.array &&
                  (one.line == finding.line || one.other_line == finding.line);
         });
}

}  // namespace

std::vector<Failure> failures_of(const std::vector<KernelFinding>& findings, Beside beside, bool c_is_wrong) {
  std::vector<Failure> failures;
  std::vector<std::pair<std::string, int>> said;
  std::vector<KernelFinding> causes_first = findings;
  std::stable_partition(causes_first.begin(), causes_first.end(),
                        [&](const KernelFinding& one) { return !follows_from_race(one, findings); });
  std::stable_sort(
      causes_first.begin(), causes_first.end(),
      [](const KernelFinding& one, const KernelFinding& other) { return rank_of(one) < rank_of(other); });
  for (const KernelFinding& one : causes_first) {
    const auto failure = failure_of(one);
    if (!failure || (one.needs_wrong_result() && !c_is_wrong)) continue;
    if (beside == Beside::kEmulator ? ends_the_checks(*failure) : failure->verdict == Judged::kTimeout)
      continue;
    const std::pair<std::string, int> place{failure->pattern, one.line};
    if (std::find(said.begin(), said.end(), place) != said.end()) continue;
    said.push_back(place);
    failures.push_back(*failure);
  }
  return failures;
}

EmulatedCounts count_emulated(const CalleeSetup& setup) {
  EmulatedCounts counts;
  // large enough to fill a card; where that is too much, what can be had
  for (const std::int64_t side : {1024, 256}) {
    counts.shape = {side, side, side};
    counts.launches = launches_at(setup, side, counts.missing);
    if (!counts.launches.empty()) break;
  }
  if (!counts.launches.empty()) counts.missing.clear();
  return counts;
}

}  // namespace gemmlab::submissions
