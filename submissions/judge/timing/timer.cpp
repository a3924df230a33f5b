#include "submissions/judge/timing/timer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <deque>

#include "core/machine/machine.h"
#include "core/timing/sampling.h"
#include "submissions/judge/processes/libraries.h"
#include "submissions/judge/processes/priority.h"
#include "submissions/judge/timing/entrant.h"
#include "submissions/judge/timing/load.h"
#include "submissions/judge/timing/ratios.h"
#include "submissions/judge/timing/work_left_on_card.h"
#include "submissions/judge/timing/worth_repeating.h"

namespace gemmlab::submissions {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kEmptyCalls = 4;  ///< for each round

class Comparison {
 public:
  Comparison(std::vector<Racer> racers, const DeviceRule& device, const Rule& rule,
             const DoubleProduct& product, const Secret& secret, std::uint64_t seed,
             const std::vector<Timing>& ladder)
      : device_(device),
        rule_(rule),
        ladder_(ladder),
        product_(product),
        secret_(secret),
        seed_(seed),
        gpu_(racers.front().setup.gpu),
        calls_(rule.limits, gpu_, result_) {
    for (Racer& racer : racers) entrants_.push_back({std::move(racer), nullptr});
  }

  TimingResult run() {
    inputs_ = Matrices::for_shapes(device_.timed);
    if (gpu_) {
      CalleeSetup like = submission().racer.setup;
      like.matrices = inputs_;
      windows_.emplace(like, device_.timed);
    } else {
      result_.raised = rule_.priority && raise_own_priority();
      empty_.emplace(submission().racer.setup, result_.raised);
    }
    for (const bool own : {false, true}) {
      for (Entrant& entrant : entrants_) {
        if (entrant.own() == own && !start(entrant)) return std::move(result_);
      }
      if (gpu_ && !own) time_libraries_alone();
    }
    for (std::size_t i = 0; i < device_.timed.size() && result_.failures.empty(); ++i)
      at(device_.timed[i], static_cast<std::uint32_t>(i));
    result_.noise_floor = noise_floor(twins_);
    result_.others = load_.processors();
    result_.busy = card_is_shared_ || result_.others > rule_.busy * cpu_info().cores;
    if (submission().is(kSubmission) && submission().alive()) look_for_libraries();
    return std::move(result_);
  }

 private:
  Entrant& submission() { return entrants_.front(); }

  /// False where the submission itself cannot be loaded.
  bool start(Entrant& entrant) {
    CalleeSetup& setup = entrant.racer.setup;
    setup.matrices = inputs_;
    setup.matrices.c = Matrices::room_for_c(device_.timed);
    setup.writable_inputs = false;
    auto process = std::make_unique<CalleeProcess>(setup);
    const CallEnd ready = process->ready(kStart_s);
    if (result_.raised && process->alive()) result_.raised = raise_priority_of(process->pid());
    if (entrant.is(kSubmission)) code_ = process->code();
    CallEnd loaded;
    if (process->alive()) loaded = process->load(rule_.limits.call_s);
    if (process->alive() && loaded.reply.said == Said::kLoaded) {
      process->pause();
      entrant.process = std::move(process);
      return true;
    }
    if (!entrant.is(kSubmission)) {
      const char* reason = process->alive() ? loaded.reply.text : ready.reply.text;
      result_.notes.push_back(fmt::format("{} could not be timed: {}", entrant.racer.label, reason));
      return true;
    }
    if (const auto failure = failure_of(loaded, Phase::kLoading, {}, rule_.limits.call_s, process->printed()))
      result_.failures.push_back(*failure);
    return false;
  }

  /// On a GPU, before anything of the submission could be left on it.
  void time_libraries_alone() {
    for (std::size_t i = 0; i < device_.timed.size(); ++i) {
      const Shape& shape = device_.timed[i];
      TimedInputs inputs(shape, secret_, static_cast<std::uint32_t>(i), product_);
      WindowInputs of_windows(shape, secret_, static_cast<std::uint32_t>(i), product_);
      for (Entrant& entrant : entrants_) {
        if (!entrant.is(kLibrary) || !entrant.alive()) continue;
        EntrantAtShape one(entrant, at_hand(shape, inputs, of_windows));
        entrant.alone_s.push_back(one.some_more_s());
      }
    }
  }

  ShapeAtHand at_hand(const Shape& shape, TimedInputs& inputs, WindowInputs& of_windows) {
    return {shape, inputs, inputs_, empty_ ? &*empty_ : nullptr, of_windows, windows_ ? &*windows_ : nullptr,
            rule_, calls_, result_};
  }

  void look_for_libraries() {
    const std::vector<MappedCode> now = submission().process->code();
    if (gpu_) {
      const CalleeSetup& setup = submission().racer.setup;
      result_.opened = opened_libraries(code_, now, setup.confinement.scratch, setup.library);
    } else if (rule_.forbid_libraries) {
      if (const auto failure = failure_of(foreign_code(code_, now))) result_.failures.push_back(*failure);
    }
  }

  /// The submission, its twin, the library and rungs of about their speed go first. Rungs that take seconds
  /// come after them: else two plain loops use up the shape's time in one round, and a mark hangs on a single
  /// call.
  void at(const Shape& shape, std::uint32_t place) {
    TimedInputs inputs(shape, secret_, place, product_);
    WindowInputs of_windows(shape, secret_, place, product_);
    std::deque<EntrantAtShape> here;
    std::vector<Timed*> near, slow;
    for (Entrant& entrant : entrants_) {
      const double expected_s = entrant.predicted_s(shape);
      if (!entrant.alive() || (entrant.is(kTwin) && expected_s > kTwinBelow_s)) continue;
      here.emplace_back(entrant, at_hand(shape, inputs, of_windows));
      if (place < entrant.alone_s.size()) here.back().timing().alone_s = entrant.alone_s[place];
      if (!here.back().timing().skipped.empty()) continue;
      (entrant.is(kLadder) && expected_s > kLongCall_s ? slow : near).push_back(&here.back());
    }
    calls_.begin_shape();
    next_round_ = 0;
    const auto begin = Clock::now();
    warm_up(here, near, shape, inputs);
    load_.begin(processes());
    rounds(near, shape, inputs, begin, 0);
    measure_again(here, shape, inputs, begin);
    rounds(slow, shape, inputs, begin, 0);
    load_.end(processes());
    calls_.end_shape();
    if (windows_ && !card_is_shared_ && result_.failures.empty()) look_for_left_work(shape, here);
    if (gpu_ && submission().is(kSubmission) && submission().alive() && result_.failures.empty())
      if (const std::string told = launches_of_last_call(*submission().process); !told.empty())
        result_.resources = told;
    keep(here);
  }

  void look_for_left_work(const Shape& shape, std::deque<EntrantAtShape>& here) {
    const LeftOnCard left = work_left_on_card(here);
    if (left == LeftOnCard::kOfSubmission) result_.failures.push_back(left_work_on_card(shape));
    if (left != LeftOnCard::kOfOthers) return;
    card_is_shared_ = true;
    result_.notes.push_back(
        "Other programs keep the GPU or the processors at work: judge it again on a quiet machine.");
  }

  /// More rounds, until the submission's share of the library's speed is settled, or the rule's times and seconds are over. Where
  /// others keep the processors, quiet rounds are waited for beyond those times.
  void measure_again(std::deque<EntrantAtShape>& here, const Shape& shape, TimedInputs& inputs,
                     Clock::time_point begin) {
    constexpr int kTimesPatient = 5;  // as often as otherwise
    std::vector<Timed*> compared;
    for (EntrantAtShape& one : here) {
      if (asked_again(one.entrant(), shape) && one.timing().skipped.empty()) compared.push_back(&one);
    }
    for (int time = 0; result_.failures.empty() && !out_of_time(begin); ++time) {
      const Missing missing = missing_at(here);
      const int times = rule_.again * (missing == Missing::kQuiet ? kTimesPatient : 1);
      if (missing == Missing::kNothing || time >= times) return;
      for (EntrantAtShape& one : here) one.measure_again();
      rounds(compared, shape, inputs, begin, next_round_);
    }
  }

  /// The ladder of a class is timed for all of them, without a submission.
  bool asked_again(const Entrant& entrant, const Shape& shape) {
    const bool rung = entrant.is(kLadder) && !submission().is(kSubmission);
    return entrant.is(kSubmission) || entrant.is(kLibrary) ||
           (rung && entrant.predicted_s(shape) <= kLongCall_s);
  }

  /// Where nothing hangs on a submission's speed, nothing is wanting.
  Missing missing_at(const std::deque<EntrantAtShape>& here) {
    std::vector<Timing> timings;
    std::vector<bool> rungs;
    for (const EntrantAtShape& one : here) {
      timings.push_back(one.timing());
      rungs.push_back(one.entrant().is(kLadder) && asked_again(one.entrant(), one.timing().shape));
    }
    compare(timings);
    return what_is_missing(timings, rungs);
  }

  void compare(std::vector<Timing>& timings) const {
    compare_with_library(timings, rule_.settled);
    settle_by_bands(timings, ladder_, rule_, gpu_ ? Device::kGpu : Device::kCpu);
  }

  bool out_of_time(Clock::time_point begin) const {
    return std::chrono::duration<double>(Clock::now() - begin).count() > rule_.shape_s;
  }

  std::vector<int> processes() const {
    std::vector<int> pids;
    for (const Entrant& entrant : entrants_) {
      if (entrant.alive()) pids.push_back(entrant.process->pid());
    }
    return pids;
  }

  /// Calls that take long need none.
  void warm_up(std::deque<EntrantAtShape>& here, const std::vector<Timed*>& near, const Shape& shape,
               TimedInputs& inputs) {
    if (!gpu_) fill(inputs, -1);
    for (EntrantAtShape& one : here) {
      const bool taken = std::find(near.begin(), near.end(), &one) != near.end();
      if (taken && result_.failures.empty() && one.entrant().predicted_s(shape) <= kLongCall_s) one.warm_up();
    }
  }

  void rounds(const std::vector<Timed*>& racing, const Shape& shape, TimedInputs& inputs,
              Clock::time_point begin, int first_round) {
    if (racing.empty()) return;
    interleave(
        racing, seed_ + static_cast<std::uint64_t>(shape.m + first_round), first_round, [](Timed&) {},
        [&](int round) {
          if (!result_.failures.empty() || (round > 0 && out_of_time(begin))) return false;
          if (!gpu_) fill(inputs, round);
          next_round_ = std::max(next_round_, round + 1);
          return true;
        });
  }

  void fill(TimedInputs& inputs, int round) {
    inputs.fill(inputs_, first_call_of(round));
    usleep(kThreadsSleep_us);
    empty_->take(kEmptyCalls);
  }

  void keep(std::deque<EntrantAtShape>& here) {
    std::vector<Timing> timings;
    const Timing* own = nullptr;
    for (EntrantAtShape& one : here) {
      if (empty_) one.timing().clock_s = empty_->uncertain_s();
      if (one.timing().role == kSubmission) own = &one.timing();
      if (one.timing().role != kTwin) {
        timings.push_back(one.timing());
      } else if (own != nullptr) {
        if (const auto pair = twin_pair(*own, one.timing())) twins_.push_back(*pair);
      }
    }
    compare(timings);
    result_.timings.insert(result_.timings.end(), timings.begin(), timings.end());
  }

  const DeviceRule& device_;
  const Rule& rule_;
  const std::vector<Timing>& ladder_;  ///< timed before
  const DoubleProduct& product_;
  const Secret& secret_;
  std::uint64_t seed_;
  bool gpu_;
  TimingResult result_;
  TimedCalls calls_;
  Matrices inputs_;
  std::optional<EmptyCalls> empty_;      ///< on a CPU
  std::optional<EmptyWindows> windows_;  ///< on a GPU
  bool card_is_shared_ = false;
  std::vector<Entrant> entrants_;  ///< the submission first
  std::vector<MappedCode> code_;   ///< of the submission's process before that was loaded
  std::vector<TwinPair> twins_;
  OthersLoad load_;
  int next_round_ = 0;  ///< at the shape at hand
};

}  // namespace

TimingResult time_submission(std::vector<Racer> racers, const DeviceRule& device, const Rule& rule,
                             const DoubleProduct& product, const Secret& secret, std::uint64_t seed,
                             const std::vector<Timing>& ladder) {
  return Comparison(std::move(racers), device, rule, product, secret, seed, ladder).run();
}

}  // namespace gemmlab::submissions
