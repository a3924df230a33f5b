#include "core/measure.h"

#include <memory>

#include "core/input_sets.h"
#include "core/subject_run.h"

namespace gemmlab {
namespace {

/// What one device needs for the group; empty, with the reason, where its memory does not suffice.
struct DeviceState {
  std::unique_ptr<DeviceInputs> inputs;
  std::string reason;
};

DeviceState make_inputs(Backend& backend, const Point& point) {
  const Shape& shape = point.shape;
  const std::int64_t sets = sets_needed(shape, backend.last_level_cache_bytes(), point.cold);
  const double bytes = shape.least_bytes() * static_cast<double>(sets + 1);
  const auto free_bytes = static_cast<double>(backend.free_bytes());
  if (bytes > 0.95 * free_bytes) {
    return {nullptr, std::to_string(sets + 1) + " sets of A, B and C need " + std::to_string(bytes / 1e9) +
                         " GB; free are " + std::to_string(free_bytes / 1e9) + " GB"};
  }
  try {
    return {std::unique_ptr<DeviceInputs>(
                new DeviceInputs{backend, InputSets(backend, shape, Distribution::kInteger, point.seed, 1),
                                 InputSets(backend, shape, point.distribution, point.seed, sets)}),
            ""};
  } catch (const OutOfMemory& error) {
    return {nullptr, error.what()};
  } catch (const std::bad_alloc&) {
    return {nullptr, "the host has too little memory"};
  }
}

/// Visits every subject still running, round after round, in an order shuffled anew each time: drift hits all
/// alike.
void interleave(std::vector<SubjectRun*> running, std::uint64_t seed,
                const std::function<void(const SubjectRun&)>& finished) {
  Shuffler shuffler(seed);
  for (int round = 0; !running.empty(); ++round) {
    std::vector<SubjectRun*> next;
    for (int place : shuffler.order(static_cast<int>(running.size()))) {
      SubjectRun* run = running[static_cast<std::size_t>(place)];
      if (run->round(round)) {
        next.push_back(run);
      } else {
        finished(*run);
      }
    }
    running = std::move(next);
  }
}

}  // namespace

void measure_group(const std::vector<Subject>& subjects, const MeasureSettings& settings,
                   const DoubleProduct& product, Watch& watch,
                   const std::function<void(int index, const Outcome& outcome)>& done) {
  if (subjects.empty()) return;
  const Point& point = subjects.front().point;
  watch.enter(-1, "inputs", 3600);
  std::map<Backend*, DeviceState> devices;
  for (const Subject& subject : subjects) {
    if (devices.count(subject.backend) == 0) devices[subject.backend] = make_inputs(*subject.backend, point);
  }
  watch.enter(-1, "reference", 3600);
  const Reference exact(point.shape, Distribution::kInteger, point.seed, product);
  const Reference bound(point.shape, point.distribution, point.seed, product);
  const GroupReferences references{exact, bound};

  std::vector<std::unique_ptr<SubjectRun>> runs;
  std::vector<SubjectRun*> running;
  const auto finished = [&](const SubjectRun& run) { done(run.index(), run.outcome()); };
  SubjectRun* current = nullptr;
  try {
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      runs.push_back(std::make_unique<SubjectRun>(static_cast<int>(i), subjects[i], settings, watch));
      current = runs.back().get();
      const DeviceState& device = devices[subjects[i].backend];
      if (!device.inputs) current->end(Status::kOutOfMemory, device.reason);
      if (device.inputs && current->start(*device.inputs, references)) {
        running.push_back(current);
      } else {
        finished(*current);
      }
    }
    interleave(running, settings.shuffle_seed, finished);
  } catch (const DeviceLost&) {
    for (const auto& run : runs) {
      if (run->outcome().status == Status::kCrashed) finished(*run);
    }
    throw;
  }
  for (auto& [backend, state] : devices) backend->drop_graphs();
}

}  // namespace gemmlab
