#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/machine/machine.h"
#include "core/records/read_json.h"
#include "core/statistics.h"
#include "submissions/judge/explaining/asked_threads.h"
#include "submissions/judge/judge.h"
#include "submissions/judge/timing/ratios.h"
#include "submissions/solve_shape.h"

namespace gemmlab::submissions {
namespace {

constexpr double kOneThread = 1.3;  ///< processors at work below which no team is
constexpr double kDisturbed =
    0.85;  ///< processors at work below which not even one thread had a core to itself
constexpr double kFallsBehind = 0.6;  ///< of its own best GFLOP/s
constexpr double kSlowFirst = 5;      ///< times the steady call
constexpr double kNearLibrary = 0.9;
constexpr double kAheadOfLibrary = 1.05;
constexpr double kLongBeside = 0.3;  ///< share of a call outside the kernel
constexpr double kFarBehind = 0.5;   ///< of the ladder's first rung
constexpr int kManyRegisters = 128;

const Timing* find(const std::vector<Timing>& timings, const Shape& shape, const std::string& role) {
  for (const Timing& timing : timings) {
    if (timing.shape == shape && timing.role == role && !timing.samples_s.empty()) return &timing;
  }
  return nullptr;
}

double gflop_per_s(const Timing& timing) {
  return timing.shape.flop() / median(timing.samples_s) * 1e-9;
}

/// The submission's timings that have samples, smallest shape first.
std::vector<const Timing*> own(const TimingResult& timing) {
  std::vector<const Timing*> timings;
  for (const Timing& one : timing.timings) {
    if (one.role == kSubmission && !one.samples_s.empty()) timings.push_back(&one);
  }
  std::sort(timings.begin(), timings.end(),
            [](const Timing* one, const Timing* other) { return one->shape.flop() < other->shape.flop(); });
  return timings;
}

void threads(const Judgement& judgement, std::vector<Advice>& advice) {
  const double busy = judgement.timing->threads_busy;
  const int cores = cpu_info().cores;
  if (cores < 2 || busy <= 0 || busy > kOneThread) return;
  const std::string seen = fmt::format("During a call {:.1f} processors were busy on average", busy);
  const bool asks = asked_threads(judgement.submission).any();
  if (busy < kDisturbed) {
    advice.push_back(
        {"Other programs took the cores",
         fmt::format("{} with your code, and even one thread alone keeps 1.0 busy{}. Its times are too long, "
                     "and of little use: close what else runs, and judge it again with --fresh.",
                     seen, asks ? ", a team more" : "")});
  } else if (asks) {
    advice.push_back({fmt::format("The threads keep one core of {} busy", cores),
                      fmt::format("{}, though the source asks for threads. Do they have enough to share out, "
                                  "and is the pragma on a loop with many steps? Other programs that take the "
                                  "cores look the same: see that nothing else runs.",
                                  seen)});
  } else {
    advice.push_back({fmt::format("One core of {} works", cores),
                      fmt::format("{}. Rows of C do not depend on each other: `#pragma omp parallel for` "
                                  "before the loop over them shares them out.",
                                  seen)});
  }
}

void next_rung(const Judgement& judgement, const Surroundings& surroundings, std::vector<Advice>& advice) {
  const auto mine = own(*judgement.timing);
  if (mine.empty()) return;
  const Timing& largest = *mine.back();
  const Timing* next = nullptr;
  for (const Timing& other : judgement.timing->timings) {
    if (other.shape != largest.shape || other.role != kLadder || other.samples_s.empty()) continue;
    if (times_as_fast(other, largest) <= 1) continue;
    if (next == nullptr || times_as_fast(other, *next) < 1) next = &other;
  }
  if (next != nullptr) {
    advice.push_back({fmt::format("The next rung is {}", next->label),
                      fmt::format("It does {:.1f} times your GFLOP/s at {}. What it does: {}.",
                                  times_as_fast(*next, largest), in_students_words(largest.shape),
                                  surroundings.summary(next->id))});
    return;
  }
  const Timing* library = find(judgement.timing->timings, largest.shape, kLibrary);
  if (library == nullptr || largest.of_library <= 0) return;
  if (largest.of_library > kAheadOfLibrary)
    advice.push_back({"Ahead of the library",
                      fmt::format("It does {:.2f} times the GFLOP/s of {} at {}.", largest.of_library,
                                  library->label, in_students_words(largest.shape))});
  else if (largest.of_library >= kNearLibrary)
    advice.push_back(
        {"Level with the library", fmt::format("It reaches {:.0f} % of {} at {}.", 100 * largest.of_library,
                                               library->label, in_students_words(largest.shape))});
  else
    advice.push_back({"Ahead of the whole ladder",
                      fmt::format("What is left to {} is a factor of {:.2f} at {}.", library->label,
                                  1 / largest.of_library, in_students_words(largest.shape))});
}

void by_size(const Judgement& judgement, std::vector<Advice>& advice) {
  const auto mine = own(*judgement.timing);
  if (mine.size() < 2) return;
  const Timing* best = *std::max_element(
      mine.begin(), mine.end(),
      [](const Timing* one, const Timing* other) { return gflop_per_s(*one) < gflop_per_s(*other); });
  const Timing* largest = mine.back();
  if (best == largest || gflop_per_s(*largest) > kFallsBehind * gflop_per_s(*best)) return;
  const bool gpu = judgement.submission.device.cuda;
  advice.push_back({"It falls behind at large sizes",
                    fmt::format("{:.1f} GFLOP/s at {} against {:.1f} at {}. Matrices that no longer fit into "
                                "the {} are read again and again: work on blocks that stay near.",
                                gflop_per_s(*largest), in_students_words(largest->shape), gflop_per_s(*best),
                                in_students_words(best->shape), gpu ? "L2 cache" : "caches")});
}

void first_call(const Judgement& judgement, std::vector<Advice>& advice) {
  const TimingResult& timing = *judgement.timing;
  const Timing* steady = find(timing.timings, timing.first_shape, kSubmission);
  if (steady == nullptr || timing.first_s <= kSlowFirst * median(steady->samples_s)) return;
  advice.push_back(
      {"The first call is slow",
       fmt::format("It took {:.3g} s, {:.0f} times a later one: threads are started, pages are touched, and "
                   "on a GPU the code is loaded. A program that multiplies once pays this.",
                   timing.first_s, timing.first_s / median(steady->samples_s))});
}

/// What the grid leaves idle, and a kernel so slow that its loads cannot be coalesced.
void launches(const Judgement& judgement, std::vector<Advice>& advice) {
  const auto all = read_json(judgement.timing->resources);
  for (const auto& one : all) {
    if (!one.is_object() || !one.contains("grid") || !one.contains("sm_count")) continue;
    const auto& grid = one.at("grid");
    if (!grid.is_array() || grid.size() != 3 || !grid[0].is_number() || !grid[1].is_number() ||
        !grid[2].is_number())
      continue;
    const double blocks = grid[0].get<double>() * grid[1].get<double>() * grid[2].get<double>();
    const double multiprocessors = one.at("sm_count").is_number() ? one.at("sm_count").get<double>() : 0;
    if (blocks < multiprocessors)
      advice.push_back(
          {"Some multiprocessors have nothing to do",
           fmt::format("A launch has {:.0f} blocks at the largest shape, the card {:.0f} multiprocessors. "
                       "Smaller tiles, or a split of the inner dimension, make more.",
                       blocks, multiprocessors)});
  }
  if (!judgement.counters.values.empty()) return;  // they tell whether loads are coalesced
  const auto mine = own(*judgement.timing);
  if (mine.empty()) return;
  for (const Timing& other : judgement.timing->timings) {
    if (other.shape != mine.back()->shape || other.role != kLadder || other.samples_s.empty()) continue;
    if (gflop_per_s(*mine.back()) < kFarBehind * gflop_per_s(other))  // the ladder's first rung
      advice.push_back({fmt::format("Far behind {}", other.label),
                        "Threads of a warp that are neighbours should read neighbouring elements: let "
                        "threadIdx.x run along the columns of B and C. Where it runs along rows, each load "
                        "of a warp touches 32 lines of memory."});
    break;
  }
}

void resources(const Judgement& judgement, std::vector<Advice>& advice) {
  bool shared = false;
  for (const KernelReport& kernel : judgement.build.kernels) {
    shared = shared || kernel.static_shared_bytes > 0;
    if (kernel.spill_bytes > 0)
      advice.push_back({fmt::format("{} spills registers", kernel.name),
                        fmt::format("{} bytes per thread go to memory and back. Fewer elements per thread, "
                                    "fewer values held at once, or __launch_bounds__ with a smaller block.",
                                    kernel.spill_bytes)});
    else if (kernel.registers > kManyRegisters)
      advice.push_back(
          {fmt::format("{} takes {} registers per thread", kernel.name, kernel.registers),
           "Few threads fit on a multiprocessor at a time. That is not a fault where each has much work of "
           "its own; where it waits for memory, fewer registers let more threads hide that."});
  }
  launches(judgement, advice);
  if (!judgement.build.kernels.empty() && !shared)
    advice.push_back({"No shared memory",
                      "No kernel declares a shared array of fixed size. Where the threads of a block read "
                      "the same elements of A and B, one load into a shared tile serves them all."});
  const double beside = judgement.timing->beside_kernel;
  if (beside > kLongBeside)
    advice.push_back(
        {"Time beside the kernel", fmt::format("{:.0f} % of a call at the largest shape passed outside the "
                                               "device's work: allocation, copies or waiting inside solve.",
                                               100 * beside)});
}

}  // namespace

std::vector<Advice> advise(const Judgement& judgement, const Surroundings& surroundings) {
  std::vector<Advice> advice = advice_from(judgement.counters);
  if (!judgement.timing) return advice;
  if (judgement.submission.device.cuda) {
    resources(judgement, advice);
  } else {
    threads(judgement, advice);
  }
  next_rung(judgement, surroundings, advice);
  by_size(judgement, advice);
  first_call(judgement, advice);
  return advice;
}

}  // namespace gemmlab::submissions
