// The energy of a subject's calls, from a stretch of them that is long enough for the device's counters.

#include <chrono>

#include "core/timing/subject_run.h"

namespace gemmlab {

/// Calls in the samples that the point has, one after the other, for settings.energy_s by the host's clock.
/// Empty where the device tells nothing of them.
std::optional<EnergyStretch> SubjectRun::energy_stretch() {
  using Clock = std::chrono::steady_clock;
  Backend& backend = *subject_.backend;
  settle();
  EnergyStretch stretch;
  const Clock::time_point start = Clock::now();
  backend.begin_energy();
  do {
    enter("energy", static_cast<double>(outcome_.calls_per_sample));
    host_ != nullptr ? end_to_end_sample_s() : device_sample_s();
    stretch.calls += outcome_.calls_per_sample;
    stretch.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  } while (stretch.seconds < settings_.energy_s);
  const std::optional<Energy> energy = backend.end_energy();
  outcome_.phases_s["energy"] += stretch.seconds;
  if (!energy) return {};
  stretch.energy = *energy;
  return stretch;
}

void SubjectRun::measure_energy() {
  if (!(settings_.energy_s > 0) || outcome_.status != Status::kOk || !subject_.point.twin_of.empty()) return;
  guarded([&] {
    make_ready();
    const std::optional<EnergyStretch> stretch = energy_stretch();
    check_last();
    if (wrong_so_far()) return;
    if (stretch) {
      outcome_.observed.set_stretch(*stretch);
    } else {
      outcome_.observed.set_no_energy(subject_.backend->why_no_energy());
    }
  });
}

}  // namespace gemmlab
