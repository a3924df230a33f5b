#include "core/timing/measure.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "core/inputs/input_sets.h"
#include "core/machine/machine.h"
#include "core/statistics.h"
#include "core/timing/rounds.h"
#include "core/timing/sampling.h"
#include "core/timing/subject_run.h"

namespace gemmlab {
namespace {

/// What one device needs for the group; empty, with the reason, where its memory does not suffice.
struct DeviceState {
  std::unique_ptr<DeviceInputs> inputs;
  std::string reason;
};

DeviceState make_inputs(Backend& backend, const Point& point, Room room) {
  const Instance& instance = point.instance;
  const std::int64_t sets = sets_needed(instance, backend.last_level_cache_bytes(), point.cold);
  const double bytes = static_cast<double>(instance.bytes()) * static_cast<double>(sets + 1);
  const auto free_bytes =
      static_cast<double>(room == Room::kHost ? available_memory_bytes() : backend.free_bytes());
  if (bytes > 0.95 * free_bytes) {
    return {nullptr, std::to_string(sets + 1) + " sets of operands need " + std::to_string(bytes / 1e9) +
                         " GB; free are " + std::to_string(free_bytes / 1e9) + " GB"};
  }
  try {
    return {std::unique_ptr<DeviceInputs>(
                new DeviceInputs{backend,
                                 InputSets(backend, instance, point.integers(), 1, room),
                                 InputSets(backend, instance, point.values(), sets, room),
                                 {}}),
            ""};
  } catch (const OutOfMemory& error) {
    return {nullptr, error.what()};
  } catch (const std::bad_alloc&) {
    return {nullptr, "the host has too little memory"};
  }
}

/// The subject that is measured twice: of this device, still running, with short samples; which of them, the
/// dimensions decide, so that an experiment's twins are of many kinds. nullptr where there is none.
const SubjectRun* to_be_twinned(const std::vector<SubjectRun*>& running, const Backend* backend) {
  std::vector<const SubjectRun*> candidates;
  for (const SubjectRun* run : running) {
    if (run->subject().backend == backend && run->seconds_per_sample() <= kTwinBelow_s)
      candidates.push_back(run);
  }
  if (candidates.empty()) return nullptr;
  std::uint64_t seed = 0;
  for (const std::int64_t dim : candidates.front()->subject().point.instance.dims)
    seed = 31 * seed + static_cast<std::uint64_t>(dim);
  Shuffler shuffler(seed);
  return candidates[static_cast<std::size_t>(shuffler.order(static_cast<int>(candidates.size())).front())];
}

/// Do the two differ in nothing, or in how much of the work is done twice? Then they are compared with each
/// other, as A/A pairs or to see a slow-down of known size.
bool one_pair(const Point& one, const Point& other) {
  const auto plain = [](Point point) {
    point.replica = 0;
    point.handicap = 0;
    point.twin_of.clear();
    return point.case_id();
  };
  return plain(one) == plain(other);
}

/// One group at work: everything that its steps share.
class GroupRun {
 public:
  GroupRun(const MeasureSettings& settings, Watch& watch, const Done& done)
      : settings_(settings), watch_(watch), done_(done) {}

  GroupCost measure(const std::vector<Subject>& subjects, const DoubleProduct& product) {
    const Point& point = subjects.front().point;
    GroupCost cost;
    watch_.enter(-1, "inputs", 3600);
    cost.inputs_s = timed([&] {
      for (const Subject& subject : subjects) {
        backends_.insert(subject.backend);
        if (devices_.count(place_of(subject)) == 0)
          devices_[place_of(subject)] = make_inputs(*subject.backend, point, place_of(subject).second);
      }
    });
    watch_.enter(-1, "reference", 3600);
    std::unique_ptr<OperationReference> exact, bound;
    cost.reference_s = timed([&] {
      const Operation& operation = *point.instance.operation;
      exact = operation.reference(point.instance, point.integers(), product);
      bound = operation.reference(point.instance, point.values(), product);
    });
    const GroupReferences references{*exact, *bound};
    try {
      for (std::size_t i = 0; i < subjects.size(); ++i) start(static_cast<int>(i), subjects[i], references);
      if (settings_.twins && !settings_.verify_only) start_twins(references);
      interleave({running_.begin(), running_.end()}, settings_.shuffle_seed, settings_.first_round,
                 [&](Timed& run) { finished(static_cast<SubjectRun&>(run)); });
      measure_energy();
      hand_over_waiting();
      sustain();
    } catch (const DeviceLost&) {
      hand_over_waiting();
      const auto guilty = std::find_if(runs_.begin(), runs_.end(), [](const auto& run) {
        return run->outcome().status == Status::kCrashed;
      });
      if (guilty != runs_.end()) crashed(**guilty);
      throw;
    }
    for (Backend* backend : backends_) backend->drop_graphs();
    return cost;
  }

 private:
  template <typename Work>
  static double timed(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  using Place = std::pair<Backend*, Room>;
  static Place place_of(const Subject& subject) {
    return {subject.backend, room_of(subject.point.parameters)};
  }

  void start(int origin, const Subject& subject, const GroupReferences& references) {
    const int index = static_cast<int>(runs_.size());
    runs_.push_back(std::make_unique<SubjectRun>(index, origin, subject, settings_, watch_));
    SubjectRun& run = *runs_.back();
    for (const SubjectRun* earlier : running_) {
      if (!one_pair(earlier->subject().point, subject.point)) continue;
      run.sample_like(*earlier);
      break;
    }
    const DeviceState& device = devices_[place_of(subject)];
    if (!device.inputs) run.end(Status::kOutOfMemory, device.reason);
    if (device.inputs && run.start(*device.inputs, references)) {
      (run.sustained() ? sustained_ : running_).push_back(&run);
    } else {
      finished(run);
    }
  }

  void start_twins(const GroupReferences& references) {
    std::vector<const SubjectRun*> chosen;
    for (const Backend* backend : backends_) {
      if (const SubjectRun* run = to_be_twinned(running_, backend)) chosen.push_back(run);
    }
    for (const SubjectRun* run : chosen) {
      twins_.push_back(run->subject());
      twins_.back().point = run->subject().point.twin();
      twins_at_work_[run->origin()] = nullptr;
      start(run->origin(), twins_.back(), references);
    }
  }

  /// Points of a device with a clock that may be held down wait for the end of their group: whether they are
  /// marked is decided for all of them alike. So do all whose energy is measured when no other's samples are.
  void hand_over(const SubjectRun& run) {
    const bool may_be_marked = run.subject().backend->device().tells_throttling;
    if (!run.sustained() && (may_be_marked || settings_.energy_s > 0) && !run.outcome().samples_s.empty()) {
      waiting_.push_back(runs_[static_cast<std::size_t>(run.index())].get());
    } else {
      hand_over_now(run);
    }
  }
  void hand_over_now(const SubjectRun& run) { done_(run.origin(), run.subject().point, run.outcome()); }

  /// One after the other, when all samples of all are taken: what heats the device spoils no comparison.
  void measure_energy() {
    for (SubjectRun* run : std::vector<SubjectRun*>(waiting_)) {
      try {
        run->measure_energy();
      } catch (const DeviceLost&) {
        waiting_.erase(std::find(waiting_.begin(), waiting_.end(), run));  // it is told of as crashed
        throw;
      }
    }
  }

  /// Last of all, as it heats the device most. No two share a round.
  void sustain() {
    int next_round = settings_.first_round;
    for (const auto& run : runs_) {
      for (const int round : run->outcome().rounds) next_round = std::max(next_round, round + 1);
    }
    for (SubjectRun* run : sustained_) {
      run->sustain(next_round);
      for (const int round : run->outcome().rounds) next_round = std::max(next_round, round + 1);
      finished(*run);
    }
  }

  void hand_over_waiting() {
    bool any_throttled = false;
    double highest_mhz = 0;
    for (const SubjectRun* run : waiting_) {
      any_throttled = any_throttled || run->outcome().observed.saw_throttling();
      highest_mhz = std::max(highest_mhz, run->outcome().observed.highest_mhz());
    }
    for (SubjectRun* run : waiting_) {
      run->judge_clock(any_throttled, highest_mhz);
      hand_over_now(*run);
    }
    waiting_.clear();
  }

  /// A twin takes its point with it when it crashes: code that crashes the second time it is measured
  /// crashes.
  void crashed(const SubjectRun& run) {
    hand_over_now(run);
    SubjectRun& original = *runs_[static_cast<std::size_t>(run.origin())];
    if (&original == &run) return;
    original.end(Status::kCrashed, run.outcome().reason);
    hand_over_now(original);
  }

  /// A point whose twin is still at work waits for it: whoever records the point and is killed before its
  /// twin would not measure it again, and the pair would be lost.
  void finished(const SubjectRun& run) {
    const bool twin = !run.subject().point.twin_of.empty();
    const auto pair = twins_at_work_.find(run.origin());
    if (!twin && pair != twins_at_work_.end()) {
      pair->second = &run;
      return;
    }
    hand_over(run);
    if (!twin || pair == twins_at_work_.end()) return;
    if (pair->second != nullptr) hand_over(*pair->second);
    twins_at_work_.erase(pair);
  }

  const MeasureSettings& settings_;
  Watch& watch_;
  const Done& done_;
  std::set<Backend*> backends_;
  std::map<Place, DeviceState> devices_;
  std::deque<Subject> twins_;                       ///< a deque: their runs keep references to them
  std::map<int, const SubjectRun*> twins_at_work_;  ///< by origin; the original where it waits for its twin
  std::vector<std::unique_ptr<SubjectRun>> runs_;
  std::vector<SubjectRun*> running_;
  std::vector<SubjectRun*> sustained_;  ///< in no round, but after the last
  std::vector<SubjectRun*> waiting_;    ///< final, but for whether their clock was held down
};

}  // namespace

GroupCost measure_group(const std::vector<Subject>& subjects, const MeasureSettings& settings,
                        const DoubleProduct& product, Watch& watch, const Done& done) {
  if (subjects.empty()) return {};
  return GroupRun(settings, watch, done).measure(subjects, product);
}

}  // namespace gemmlab
