// The second stage of a judgement: how fast?

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/statistics.h"
#include "submissions/judge/quiet_rounds.h"
#include "submissions/judge/shapes.h"
#include "submissions/judge/stages.h"

namespace gemmlab::submissions {
namespace {

/// The submission and its twin.
std::vector<Racer> racers_of(const CalleeSetup& submission, const std::string& twins_scratch) {
  std::vector<Racer> racers{{kSubmission, kSubmission, kSubmission, submission}};
  // in a scratch folder of its own: as root, one that belongs to another user would be taken from the first
  CalleeSetup twin = submission;
  twin.confinement.scratch = twins_scratch;
  twin.confinement.readable.push_back(submission.library);
  racers.push_back({kTwin, "the submission's twin", kTwin, twin});
  return racers;
}

/// The suite's own: the ladder, where it is wanted, and the first library that is here.
class Rungs {
 public:
  /// `setup` is that of a submission, or of none, whose circumstances they share; `scratch` is theirs: one that belongs
  /// to another user would be taken from the submission.
  Rungs(CalleeSetup setup, const std::string& scratch, const Surroundings& surroundings)
      : setup_(std::move(setup)), surroundings_(surroundings) {
    setup_.library.clear();
    setup_.program = surroundings.program;
    setup_.confinement.bare = false;
    setup_.confinement.readable = {surroundings.program.front()};
    setup_.confinement.scratch = scratch;
  }

  void add(const DeviceRule& device, bool ladder, std::vector<Racer>& racers,
           std::vector<std::string>& notes) {
    for (std::size_t i = 0; ladder && i < device.ladder.size(); ++i)
      add(device.ladder[i], kLadder, racers, notes);
    const std::vector<std::string> before = notes;
    for (const Rung& rung : device.library) {
      if (!add(rung, kLibrary, racers, notes)) continue;
      notes = before;  // one library is enough
      break;
    }
  }

 private:
  bool add(const Rung& rung, const char* role, std::vector<Racer>& racers, std::vector<std::string>& notes) {
    const std::string reason = surroundings_.unavailable(rung.id);
    if (!reason.empty()) {
      notes.push_back(fmt::format("{} is not in the comparison: {}", rung.label, reason));
      return false;
    }
    setup_.implementation = rung.id;
    setup_.parameters = rung.parameters;
    racers.push_back({rung.name, rung.label, role, setup_});
    return true;
  }

  CalleeSetup setup_;
  const Surroundings& surroundings_;
};

/// What is timed of a single file, or of one in a class.
DeviceRule timed_by(const Rule& rule, bool gpu, bool alone) {
  DeviceRule device = gpu ? rule.gpu : rule.cpu;
  if (alone) device.timed.insert(device.timed.end(), device.timed_alone.begin(), device.timed_alone.end());
  return device;
}

/// The card's events, which a submission could forge, and the judge's clock, from which what surrounds a call was taken off,
/// should agree: else one of them does not show what the call took.
std::string clocks_apart(const Timing& timing) {
  constexpr double kShare = 0.2;      // of the longer one
  constexpr double kAround_s = 4e-6;  // an event also waits for the launch of the kernel behind it
  constexpr double kUncertainties = 3;
  if (timing.events_s.empty()) return {};
  const double clock_s = median(timing.samples_s), events_s = median(timing.events_s);
  const double allowed_s = kShare * std::max(clock_s, events_s) + kAround_s + kUncertainties * timing.clock_s;
  if (std::abs(clock_s - events_s) <= allowed_s) return {};
  return fmt::format("at {} a call takes {:.3g} ms by the judge's clock, but {:.3g} ms by the card's events",
                     in_students_words(timing.shape), 1e3 * clock_s, 1e3 * events_s);
}

/// Too few calls say too little. Above what the machine can do, the ceiling, the clock or the submission is wrong, and a
/// person has to look.
std::string why_uncounted(const Timing& timing, const LeastTime& least) {
  constexpr std::size_t kFewest = 3;
  constexpr double kBeyondDoubt = 1.2;
  const std::string where = in_students_words(timing.shape);
  if (!timing.skipped.empty()) return fmt::format("at {} it was not timed: {}", where, timing.skipped);
  if (timing.samples_s.size() < kFewest)
    return fmt::format("at {} only {} of at least {} calls could be timed", where, timing.samples_s.size(),
                       kFewest);
  if (const std::string apart = clocks_apart(timing); !apart.empty()) return apart;
  const double share = least.seconds / median(counted_samples(timing));
  if (share <= kBeyondDoubt) return {};
  return fmt::format(
      "at {} it is {:.1f} times faster than this machine's measured ceiling allows: do not believe this time "
      "before you have read the source",
      where, share);
}

void say_what_counts(Judgement& judgement, const Surroundings& surroundings) {
  for (Timing& timing : judgement.timing->timings) {
    if (timing.role != kSubmission) continue;
    timing.uncounted =
        why_uncounted(timing, surroundings.least_time(judgement.submission.device, timing.shape));
    if (!timing.uncounted.empty()) judgement.notes.push_back("No mark for speed: " + timing.uncounted + ".");
  }
}

/// Where all are the same user, the system counts the others' threads, too.
void allow_threads_of_others(std::vector<Racer>& racers) {
  const int others = static_cast<int>(racers.size()) *
                     (static_cast<int>(std::thread::hardware_concurrency()) + kThreadsMore);
  for (Racer& racer : racers) {
    if (!racer.setup.library.empty()) racer.setup.confinement.threads += others;
  }
}

void race(Judgement& judgement, const Rule& rule, const Surroundings& surroundings, const CalleeSetup& setup,
          const std::vector<Timing>& ladder) {
  tell(surroundings, "timing");
  const DeviceRule device = timed_by(rule, setup.gpu, judgement.options.alone);
  const ScratchFolder scratch(surroundings.work), twins(surroundings.work);
  std::vector<Racer> racers = racers_of(setup, twins.path());
  Rungs(setup, scratch.path(), surroundings).add(device, ladder.empty(), racers, judgement.notes);
  allow_threads_of_others(racers);
  judgement.timing = time_submission(std::move(racers), device, rule, surroundings.product,
                                     judgement.options.secret, judgement.options.seed, ladder);
  TimingResult& timing = *judgement.timing;
  timing.timings.insert(timing.timings.end(), ladder.begin(), ladder.end());
  if (judgement.failures.empty()) judgement.failures = timing.imprecise;
  judgement.failures.insert(judgement.failures.end(), timing.failures.begin(), timing.failures.end());
  judgement.notes.insert(judgement.notes.end(), timing.notes.begin(), timing.notes.end());
  say_what_counts(judgement, surroundings);
  opened_library(judgement, rule, timing.opened);
}

}  // namespace

void time(Judgement& judgement, const Built& built, const Rule& rule, const Surroundings& surroundings,
          const std::vector<Timing>& ladder) {
  const CalleeSetup setup = setup_of(judgement, built, rule, surroundings);
  if (judgement.options.timing) race(judgement, rule, surroundings, setup, ladder);
  if (judgement.options.counters && setup.gpu && may_be_timed(judgement)) {
    tell(surroundings, "counting");
    judgement.counters = count(setup, rule.limits, rule.gpu.timed);
  }
  conclude(judgement, surroundings);
}

TimingResult time_ladder(Device device, const Rule& rule, const Options& options,
                         const Surroundings& surroundings) {
  constexpr int kRoundsMore = 3;
  Rule longer = rule;
  longer.rounds *= kRoundsMore;
  longer.shape_s *= kRoundsMore;
  const ScratchFolder scratch(surroundings.work);
  CalleeSetup setup;
  setup.gpu = device == Device::kGpu;
  setup.confinement = confinement_of(rule.limits, scratch.path(), surroundings, setup.gpu);
  const DeviceRule timed = timed_by(rule, setup.gpu, options.alone);
  std::vector<Racer> racers;
  std::vector<std::string> notes;
  Rungs(setup, scratch.path(), surroundings).add(timed, true, racers, notes);
  if (racers.empty()) return {};
  TimingResult result = time_submission(std::move(racers), timed, longer, surroundings.product,
                                        options.secret, options.seed, {});
  result.notes.insert(result.notes.end(), notes.begin(), notes.end());
  return result;
}

}  // namespace gemmlab::submissions
