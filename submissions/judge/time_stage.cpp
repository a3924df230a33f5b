// The second stage of a judgement: how fast?

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "submissions/judge/stages.h"
#include "submissions/judge/what_counts.h"

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

void say_what_counts(Judgement& judgement, const Surroundings& surroundings) {
  std::vector<Timing>& timings = judgement.timing->timings;
  for (Timing& timing : timings) {
    if (timing.role != kSubmission) continue;
    timing.uncounted =
        why_uncounted(timing, timings, surroundings.least_time(judgement.submission.device, timing.shape));
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
    judgement.counters = count(setup, rule.limits, rule.gpu.timed, judgement.options.metrics);
  }
  conclude(judgement, surroundings);
}

TimingResult time_ladder(const Device& device, const Rule& rule, const Options& options,
                         const Surroundings& surroundings) {
  constexpr int kRoundsMore = 3;
  Rule longer = rule;
  longer.rounds *= kRoundsMore;
  longer.shape_s *= kRoundsMore;
  const ScratchFolder scratch(surroundings.work);
  CalleeSetup setup;
  setup.gpu = device.cuda;
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
