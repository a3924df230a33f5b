#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/machine.h"
#include "core/matrix.h"
#include "cpu/isa.h"
#include "cpu/loops.h"
#include "cpu/table.h"

namespace gemmlab::cpu {

#define GEMMLAB_DECLARE_LOOPS(isa, ...) \
  namespace isa {                       \
  extern const Loops loops;             \
  }
GEMMLAB_EACH_ISA(GEMMLAB_DECLARE_LOOPS, )

const Loops& loops_of(const char* isa) {
#define GEMMLAB_LOOPS_ROW(name, ...) {#name, &name::loops},
  static const std::pair<const char*, const Loops*> table[] = {GEMMLAB_EACH_ISA(GEMMLAB_LOOPS_ROW, )};
  for (const auto& [name, loops] : table) {
    if (std::strcmp(name, isa) == 0) return *loops;
  }
  throw std::invalid_argument(std::string("no loops are compiled for isa ") + isa);
}

const Loops& widest_loops() {
  return loops_of(cpu_info().isa.back().c_str());
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kShortestSample_s = 0.01;
constexpr int kRepetitions = 3;
constexpr int kMostAttempts = 3;
constexpr double kTolerance = 0.1;  ///< of the factor two between twice the work and the work

/// Does `work` units on each of `threads` threads and returns the seconds from a common start to the last
/// end. Work is given to threads by number, so that a repeated call touches the same memory.
using Work = std::function<void(int thread, std::int64_t units)>;
double seconds(const Work& work, int threads, std::int64_t units) {
  Clock::time_point start;
#pragma omp parallel num_threads(threads)
  {
#pragma omp barrier
#pragma omp master
    start = Clock::now();
    work(omp_get_thread_num(), units);
  }
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Rate {
  double units_per_s = 0;
  double ratio =
      0;  ///< time of twice the work over time of the work: 2 where the clock sees nothing but the work
};

bool trusted(double ratio) {
  return std::abs(ratio - 2) <= 2 * kTolerance;
}

/// From the shortest times of several repetitions, and of more while the self-check fails: whatever else runs
/// on the machine only ever makes a time longer.
Rate best_rate(const Work& work, int threads, std::int64_t units) {
  double once_s = std::numeric_limits<double>::infinity();
  double twice_s = std::numeric_limits<double>::infinity();
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    for (int i = 0; i < kRepetitions; ++i) {
      once_s = std::min(once_s, seconds(work, threads, units));
      twice_s = std::min(twice_s, seconds(work, threads, 2 * units));
    }
    if (trusted(twice_s / once_s)) break;
  }
  return {2.0 * static_cast<double>(units) / twice_s, twice_s / once_s};
}

std::string self_check(const std::string& loop, double ratio) {
  char text[64];
  std::snprintf(text, sizeof text, "; twice the work took %.2f times the time%s", ratio,
                trusted(ratio) ? "" : " (not trusted)");
  return loop + text;
}

Ceiling fma_ceiling(const std::string& isa, int threads) {
  const Loops& loops = loops_of(isa.c_str());
  const double flop_per_unit = loops.fma(1);
  const Work work = [&](int, std::int64_t units) { loops.fma(units); };
  std::int64_t units = 1 << 14;
  while (seconds(work, threads, units) < kShortestSample_s) units *= 2;
  const Rate rate = best_rate(work, threads, units);
  return {"cpu",
          "fma",
          isa,
          threads,
          rate.units_per_s * flop_per_unit * threads * 1e-9,
          "GFLOP/s",
          self_check(loops.fma_how, rate.ratio)};
}

/// Twice the last-level cache and more, at most 1 GiB and a quarter of the memory; not initialised.
AlignedArray<float> swept_array() {
  const std::int64_t cache = make_backend()->last_level_cache_bytes();
  const std::int64_t most = std::min<std::int64_t>(std::int64_t{1} << 30, available_memory_bytes() / 4);
  const std::int64_t least = std::int64_t{64} << 20;
  return AlignedArray<float>(std::min(most, std::max(least, 2 * cache)) /
                             static_cast<std::int64_t>(sizeof(float)));
}

Ceiling memory_ceiling(const AlignedArray<float>& values, int threads) {
  const std::int64_t share = values.count() / threads / 16 * 16;
  std::vector<float> sums(static_cast<std::size_t>(threads) * 16);  // a cache line each
  const Work sweep = [&](int thread, std::int64_t sweeps) {
    for (std::int64_t i = 0; i < sweeps; ++i) {
      sums[static_cast<std::size_t>(thread) * 16] +=
          widest_loops().sum(values.data() + thread * share, share);
    }
  };
  const Rate rate = best_rate(sweep, threads, 1);
  const double bytes = static_cast<double>(share) * threads * sizeof(float);
  char loop[64];
  std::snprintf(loop, sizeof loop, "sum over %.0f MiB", bytes / (1 << 20));
  return {"cpu",
          "memory_read",
          "dram",
          threads,
          rate.units_per_s * bytes * 1e-9,
          "GB/s",
          self_check(loop, rate.ratio)};
}

}  // namespace

std::vector<Ceiling> measure_ceilings() {
  omp_set_dynamic(0);
  const CpuInfo& machine = cpu_info();
  std::vector<int> thread_counts{1};
  if (machine.cores > 1) thread_counts.push_back(machine.cores);
  std::vector<Ceiling> ceilings;
  for (const std::string& isa : machine.isa) {
    for (const int threads : thread_counts) ceilings.push_back(fma_ceiling(isa, threads));
  }
  AlignedArray<float> values = swept_array();
  const std::int64_t count = values.count();
#pragma omp parallel for schedule(static) num_threads(machine.cores)
  for (std::int64_t i = 0; i < count; ++i) values[i] = 1.0F;
  for (const int threads : thread_counts) ceilings.push_back(memory_ceiling(values, threads));
  return ceilings;
}

}  // namespace gemmlab::cpu
