#include "submissions/judge/timer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>

#include "submissions/diagnosis/diagnosis.h"
#include "submissions/judge/libraries.h"
#include "submissions/judge/shapes.h"
#include "submissions/judge/timed_inputs.h"

namespace gemmlab::submissions {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kTransfer_s = 20;  ///< in and out of a GPU, over what a call may take
constexpr double kLongCall_s = 1;   ///< beyond which kLongRounds are enough
constexpr int kLongRounds = 3;
constexpr std::uint64_t kSeedsAShape = 1'000'000;  ///< more than there are rounds
constexpr useconds_t kThreadsSleep_us = 3000;      ///< threads of ours that still look for work take cores
/// What a time may fall short of what the judge saw pass: the messages' way, and pages that are mapped anew.
constexpr double kUnseenShare = 0.25;
constexpr double kUnseen_s = 0.05;
constexpr int kLiesAllowed = 2;

double since_s(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

bool right(const std::vector<Check>& checks) {
  return std::all_of(checks.begin(), checks.end(),
                     [](const Check& check) { return check.verdict == Verdict::kOk; });
}

bool tolerable(const std::vector<Check>& checks) {
  return std::none_of(checks.begin(), checks.end(),
                      [](const Check& check) { return check.verdict == Verdict::kIncorrect; });
}

class Race {
 public:
  Race(std::vector<Racer> racers, const DeviceRule& device, const Rule& rule, const DoubleProduct& product,
       std::uint64_t seed)
      : racers_(std::move(racers)), device_(device), rule_(rule), product_(product), seed_(seed) {}

  TimingResult run() {
    inputs_ = Matrices::for_shapes(device_.timed);
    if (!start()) return std::move(result_);
    for (std::size_t i = 0; i < device_.timed.size() && result_.failures.empty(); ++i) {
      at(device_.timed[i], seed_ + kSeedsAShape * i);
    }
    if (processes_.front()->alive())
      result_.opened = opened_libraries(libraries_, processes_.front()->libraries());
    return std::move(result_);
  }

 private:
  bool gpu() const { return racers_.front().setup.gpu; }

  bool start() {
    for (Racer& racer : racers_) {
      racer.setup.matrices = inputs_;
      racer.setup.matrices.c = Matrices::room_for_c(device_.timed);
      racer.setup.writable_inputs = false;
      auto process = std::make_unique<CalleeProcess>(racer.setup);
      const CallEnd ready = process->ready(kStart_s);
      const bool submission = processes_.empty();
      if (submission) libraries_ = process->libraries();
      CallEnd loaded;
      if (process->alive()) loaded = process->load(rule_.limits.call_s);
      if (!process->alive() || loaded.reply.said != Said::kLoaded) {
        const std::string reason = process->alive() ? loaded.reply.text : ready.reply.text;
        if (submission) {
          if (const auto failure =
                  failure_of(loaded, Phase::kLoading, {}, rule_.limits.call_s, process->printed()))
            result_.failures.push_back(*failure);
          return false;
        }
        result_.notes.push_back(fmt::format("{} could not be timed: {}", racer.label, reason));
        process.reset();
      }
      if (process) process->pause();
      processes_.push_back(std::move(process));
    }
    return true;
  }

  /// Seconds that a call will take, from the one before at another shape; 0 where nothing is known.
  double predicted_s(std::size_t racer, const Shape& shape) const {
    const auto known = s_per_flop_.find(racer);
    return known == s_per_flop_.end() ? 0 : known->second * shape.flop();
  }

  void at(const Shape& shape, std::uint64_t seed) {
    std::vector<Timing> timings;
    std::vector<std::size_t> racing;
    for (std::size_t i = 0; i < racers_.size(); ++i) {
      Timing timing;
      timing.shape = shape;
      timing.name = racers_[i].name;
      timing.label = racers_[i].label;
      timing.id = racers_[i].setup.implementation;
      timing.role = racers_[i].role;
      if (!processes_[i] || !processes_[i]->alive()) continue;
      if (const double expected_s = predicted_s(i, shape); expected_s > rule_.limits.call_s) {
        timing.skipped = fmt::format("a call is predicted to take {:.0f} s; at most {:g} s is allowed",
                                     expected_s, rule_.limits.call_s);
      } else {
        racing.push_back(timings.size());
      }
      racer_of_.push_back(i);
      timings.push_back(std::move(timing));
    }
    TimedInputs inputs(shape, seed, product_);
    rounds(shape, inputs, racing, timings);
    racer_of_.clear();
    of_library(timings);
    if (!busy_.empty()) result_.threads_busy = median(busy_);
    busy_.clear();
    if (gpu() && result_.failures.empty()) ask_for_resources();
    result_.timings.insert(result_.timings.end(), timings.begin(), timings.end());
  }

  void ask_for_resources() {
    Request request;
    request.ask = Ask::kResources;
    processes_.front()->resume();
    const CallEnd end = processes_.front()->ask(request, kTransfer_s);
    if (processes_.front()->alive()) processes_.front()->pause();
    if (end.how == CallEnd::How::kAnswered && end.reply.text[0] == '[') result_.resources = end.reply.text;
  }

  /// The submission, the library and rungs of about their speed race first. Rungs that take seconds come
  /// after them: else two plain loops use up the shape's time in one round, and a mark hangs on a single
  /// call.
  void rounds(const Shape& shape, TimedInputs& inputs, const std::vector<std::size_t>& racing,
              std::vector<Timing>& timings) {
    std::vector<std::size_t> near, slow;
    for (const std::size_t place : racing) {
      const bool rung = timings[place].role == "ladder";
      (rung && predicted_s(racer_of_[place], shape) > kLongCall_s ? slow : near).push_back(place);
    }
    lies_ = 0;
    const auto begin = Clock::now();
    race(shape, inputs, near, timings, -1, begin);
    if (result_.failures.empty() && !slow.empty()) race(shape, inputs, slow, timings, 0, begin);
  }

  /// Rounds from `first` on, until the shape's time since `begin` is over; one at least.
  void race(const Shape& shape, TimedInputs& inputs, const std::vector<std::size_t>& racing,
            std::vector<Timing>& timings, int first, Clock::time_point begin) {
    Shuffler shuffler(seed_ + static_cast<std::uint64_t>(shape.m));
    for (int round = first; round < rule_.rounds; ++round) {
      inputs.fill(inputs_, round);
      usleep(kThreadsSleep_us);
      for (const int place : shuffler.order(static_cast<int>(racing.size()))) {
        Timing& timing = timings[racing[static_cast<std::size_t>(place)]];
        const std::size_t racer = racer_of_[racing[static_cast<std::size_t>(place)]];
        const double expected_s = predicted_s(racer, shape);
        if (!timing.skipped.empty() || (round < 0 && expected_s > kLongCall_s)) continue;
        if (round >= kLongRounds && expected_s > kLongCall_s) continue;
        const double time_s = one(racer, shape, inputs, round, timing);
        if (!result_.failures.empty()) return;
        if (time_s <= 0) continue;
        s_per_flop_[racer] = time_s / shape.flop();
        if (round >= 0) {
          timing.samples_s.push_back(time_s);
          timing.rounds.push_back(round);
        }
      }
      if (round >= 0 && since_s(begin) > rule_.shape_s) break;
    }
  }

  /// One call; 0 where it cannot be counted.
  double one(std::size_t racer, const Shape& shape, const TimedInputs& inputs, int round, Timing& timing) {
    CalleeProcess& process = *processes_[racer];
    Matrices& matrices = process.matrices();
    const Request request = call_at(shape);
    float poison = 0;
    const std::uint32_t word = kPoisonC;
    std::memcpy(&poison, &word, sizeof poison);
    std::fill_n(matrices.c->at(0), shape.c_count(), poison);
    process.resume();
    const CallEnd end = process.ask(request, rule_.limits.call_s + (gpu() ? kTransfer_s : 0));
    if (process.alive()) process.pause();
    const bool submission = racer == 0;
    if (end.how == CallEnd::How::kLate) {  // right it was; only too slow for this shape, and those after it
      timing.skipped = fmt::format("a call did not end within {:g} s", rule_.limits.call_s);
      timing.samples_s.clear();
      timing.rounds.clear();
      return 0;
    }
    if (auto failure = failure_of(end, Phase::kTiming, shape, rule_.limits.call_s, process.printed())) {
      if (submission) {
        result_.failures.push_back(*failure);
      } else {
        timing.skipped = failure->explanation;
      }
      return 0;
    }
    const std::vector<Check> checks = inputs.check(matrices.c->at(0), round);
    if (submission ? !accepted(checks, shape, process, inputs, round) : !right(checks)) {
      if (!submission) timing.skipped = "its result was wrong";
      return 0;
    }
    if (submission) learn(end, shape);
    return end.reply.seconds;
  }

  /// What the submission's own call tells besides.
  void learn(const CallEnd& end, const Shape& shape) {
    if (result_.first_s == 0) {
      result_.first_s = gpu() ? end.reply.host_s : end.reply.seconds;
      result_.first_shape = shape;
    }
    if (!gpu() && end.reply.seconds > 0) busy_.push_back(end.reply.cpu_s / end.reply.seconds);
    if (gpu() && end.reply.host_s > 0) result_.beside_kernel = 1 - end.reply.seconds / end.reply.host_s;
    if (gpu() || end.wall_s - end.reply.seconds < kUnseen_s + kUnseenShare * end.wall_s) return;
    if (++lies_ <= kLiesAllowed) return;
    Failure failure;
    failure.verdict = Judged::kDishonest;
    failure.pattern = "forged-time";
    failure.shape = shape;
    failure.explanation =
        fmt::format("The time that was reported ({:.3g} s) is far below what passed ({:.3g} s), at {}.",
                    end.reply.seconds, end.wall_s, in_students_words(shape));
    failure.hint = "The clock belongs to the judge.";
    result_.failures.push_back(failure);
  }

  /// Within reduced precision at a shape that is timed, whatever it was at those that were checked.
  void less_precise(const std::vector<Check>& checks, const Shape& shape) {
    const auto known = [](const Failure& one) { return one.verdict == Judged::kReducedPrecision; };
    if (std::any_of(result_.imprecise.begin(), result_.imprecise.end(), known)) return;
    const auto worst = std::find_if(checks.begin(), checks.end(), [](const Check& check) {
      return check.verdict == Verdict::kReducedPrecision;
    });
    Failure failure;
    failure.verdict = Judged::kReducedPrecision;
    failure.pattern = "reduced-precision";
    failure.shape = shape;
    failure.explanation = fmt::format(
        "In a timed call at {} C is off by up to {:.0f} roundings of float, where sums in "
        "float stay under 16.",
        in_students_words(shape), std::max(worst->eta_max, worst->residual));
    failure.hint =
        "A and B, or the sums, are held in half, bfloat16 or TF32, or in a fast algorithm such as "
        "Strassen's, "
        "which cancels digits.";
    result_.imprecise.push_back(failure);
  }

  /// Is the submission's C right? Otherwise: late, remembered, or wrong only when it counts.
  bool accepted(const std::vector<Check>& checks, const Shape& shape, CalleeProcess& process,
                const TimedInputs& inputs, int round) {
    if (tolerable(checks)) {
      if (!right(checks)) less_precise(checks, shape);
      return true;
    }
    Failure failure;
    failure.shape = shape;
    failure.element = checks.front().worst_row >= 0;
    failure.row = checks.front().worst_row;
    failure.col = checks.front().worst_col;
    float* c = process.matrices().c->at(0);
    for (int earlier = round - 1; earlier >= std::max(-1, round - 4); --earlier) {
      if (!tolerable(inputs.check(c, earlier))) continue;
      failure.verdict = Judged::kDishonest;
      failure.pattern = "remembered";
      failure.explanation = fmt::format("In a timed call at {} C was the answer to an earlier call's inputs.",
                                        in_students_words(shape));
      failure.hint =
          "Every call gets other matrices, at the same addresses. Nothing may be kept from one to the next.";
      result_.failures.push_back(failure);
      return false;
    }
    if (became_right(shape, process, inputs, round)) {
      result_.failures.push_back(unfinished(shape));
      return false;
    }
    failure.pattern = "wrong-when-timed";
    failure.got = failure.element ? c[failure.row * shape.n + failure.col] : 0;
    failure.expected = std::nan("");
    failure.explanation = fmt::format(
        "C was wrong in a timed call at {}, for which the shapes that are checked are no sign: "
        "they are smaller.",
        in_students_words(shape));
    failure.hint =
        "Look for an int that overflows in an index (row * N + k), a fixed size of a buffer, something kept "
        "from "
        "an earlier call, or a race that large sizes bring out.";
    result_.failures.push_back(failure);
    return false;
  }

  bool became_right(const Shape& shape, CalleeProcess& process, const TimedInputs& inputs, int round) {
    process.resume();
    usleep(kWaitForLate_us);
    Request look;
    look.ask = Ask::kLook;
    look.m = shape.m;
    look.n = shape.n;
    look.k = shape.k;
    const CallEnd end = process.ask(look, rule_.limits.call_s + kTransfer_s);
    if (const auto failure = failure_of(end, Phase::kTiming, shape, rule_.limits.call_s, process.printed()))
      return failure->verdict == Judged::kDishonest;
    return tolerable(inputs.check(process.matrices().c->at(0), round));
  }

  static void of_library(std::vector<Timing>& timings) {
    const auto library =
        std::find_if(timings.begin(), timings.end(), [](const Timing& one) { return one.role == "library"; });
    if (library == timings.end()) return;
    for (Timing& timing : timings) {
      std::vector<double> ratios;
      for (std::size_t i = 0; i < timing.samples_s.size(); ++i) {
        const auto same = std::find(library->rounds.begin(), library->rounds.end(), timing.rounds[i]);
        if (same == library->rounds.end()) continue;
        ratios.push_back(library->samples_s[static_cast<std::size_t>(same - library->rounds.begin())] /
                         timing.samples_s[i]);
      }
      if (ratios.empty()) continue;
      timing.of_library = median(ratios);
      timing.of_library_ci95 = median_interval(ratios);
    }
  }

  std::vector<Racer> racers_;
  const DeviceRule& device_;
  const Rule& rule_;
  const DoubleProduct& product_;
  std::uint64_t seed_;
  Matrices inputs_;
  std::vector<std::unique_ptr<CalleeProcess>> processes_;  ///< parallel to racers_; empty: cannot run
  std::vector<std::size_t> racer_of_;                      ///< of each timing at the shape at hand
  std::map<std::size_t, double> s_per_flop_;
  std::vector<std::string> libraries_;
  TimingResult result_;
  int lies_ = 0;
  std::vector<double> busy_;  ///< processors that worked, of the submission's calls at the shape at hand
};

}  // namespace

TimingResult time_submission(std::vector<Racer> racers, const DeviceRule& device, const Rule& rule,
                             const DoubleProduct& product, std::uint64_t seed) {
  return Race(std::move(racers), device, rule, product, seed).run();
}

}  // namespace gemmlab::submissions
