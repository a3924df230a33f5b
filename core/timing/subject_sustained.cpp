// Samples without a pause between them, for seconds: what a device does for good, not in a burst after a rest.

#include "core/timing/subject_run.h"

namespace gemmlab {
namespace {

/// The stretch of a device's energy ends also where a call throws: else the device would take all later samples
/// for part of it.
class Stretch {
 public:
  explicit Stretch(Backend& backend) : backend_(backend) {}
  ~Stretch() {
    if (!open_) return;
    try {
      backend_.end_energy();
    } catch (...) {  // what threw first is told
    }
  }
  Stretch(const Stretch&) = delete;
  Stretch& operator=(const Stretch&) = delete;

  bool open() const { return open_; }
  void begin() {
    backend_.begin_energy();
    open_ = true;
  }
  std::optional<Energy> end() {
    open_ = false;
    return backend_.end_energy();
  }

 private:
  Backend& backend_;
  bool open_ = false;
};

}  // namespace

/// Samples until settings.sustained_s of them are over. The first half warms the device up to what it can keep;
/// those of the second, at least one, are kept, and clock, power and energy are theirs.
void SubjectRun::sustained_samples(int first_round) {
  Backend& backend = *subject_.backend;
  Stretch stretch(backend);
  double counted_s = 0;
  const auto next = [&]() -> const std::vector<Backend::Call>& {
    enter("sustained load", static_cast<double>(outcome_.calls_per_sample));
    return next_calls();
  };
  const auto took = [&](double seconds) {
    timed_s_ += seconds;
    if (stretch.open()) {
      counted_s += seconds;
      outcome_.rounds.push_back(first_round + static_cast<int>(outcome_.samples_s.size()));
      outcome_.samples_s.push_back(seconds / static_cast<double>(outcome_.calls_per_sample));
    } else if (timed_s_ >= settings_.sustained_s / 2) {
      stretch.begin();
    }
    return timed_s_ < settings_.sustained_s || outcome_.samples_s.empty();
  };
  backend.sustain(next, subject_.point.scope, outcome_.timing, key(), took);
  const std::optional<Energy> energy = stretch.end();
  outcome_.observed.add(backend.conditions());
  outcome_.observed.accept_clock();
  const auto calls = static_cast<std::int64_t>(outcome_.samples_s.size()) * outcome_.calls_per_sample;
  if (energy) {
    outcome_.observed.set_stretch({*energy, counted_s, calls});
  } else {
    outcome_.observed.set_no_energy(backend.why_no_energy());
  }
}

void SubjectRun::sustain(int first_round) {
  outcome_.stop_reason = "sustained";
  guarded([&] {
    make_ready();
    settle();
    sustained_samples(first_round);
    outcome_.phases_s["timed"] += timed_s_;
    outcome_.sustained_s = timed_s_;
    check_last();
    if (!wrong_so_far()) conclude();
  });
}

}  // namespace gemmlab
