#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/inputs/matrix.h"
#include "core/machine/machine.h"
#include "cpu/device/isa.h"
#include "cpu/device/loops.h"
#include "cpu/device/rate.h"
#include "cpu/table.h"

namespace gemmlab::cpu {

#define GEMMLAB_DECLARE_LOOPS(isa, ...) \
  namespace isa {                       \
  extern const Loops loops;             \
  }
GEMMLAB_EVERY_ISA(GEMMLAB_DECLARE_LOOPS, )

const Loops& loops_of(const char* isa) {
#define GEMMLAB_LOOPS_ROW(name, ...) {#name, &name::loops},
  static const std::pair<const char*, const Loops*> table[] = {GEMMLAB_EVERY_ISA(GEMMLAB_LOOPS_ROW, )};
  for (const auto& [name, loops] : table) {
    if (std::strcmp(name, isa) == 0) return *loops;
  }
  throw std::invalid_argument(std::string("no loops are compiled for isa ") + isa);
}

const Loops& widest_loops() {
  return loops_of(cpu_info().isa.back().c_str());
}

namespace {

constexpr std::int64_t kFloatBytes = sizeof(float);
constexpr std::int64_t kLine = 16;  ///< floats in a cache line
constexpr std::int64_t kLargePage = 2 << 20;

/// The first address from `values` on that is a multiple of kLargePage.
const float* first_aligned(const float* values) {
  const auto address = reinterpret_cast<std::uintptr_t>(values);
  constexpr std::uintptr_t kMask = kLargePage - 1;
  return values + ((kLargePage - (address & kMask)) & kMask) / kFloatBytes;
}

/// A ceiling to be: what its meter measures, and how that becomes its value.
struct Plan {
  Ceiling ceiling;         ///< but for value and trusted; `how` names the loop
  double giga_a_unit = 0;  ///< of its unit, on all threads together
  RateMeter meter;
};

Plan fma_plan(const std::string& isa, int threads) {
  constexpr std::int64_t kRounds = 1 << 10;
  const Loops& loops = loops_of(isa.c_str());
  return {{"cpu", "fma", isa, threads, 0, "GFLOP/s", loops.fma_how},
          1e-9 * loops.fma(1) * kRounds * threads,
          RateMeter([&loops](int, std::int64_t units) { loops.fma(units * kRounds); }, threads)};
}

/// A level of the memory, and how much of it each thread sweeps.
struct Level {
  const char* name;
  std::int64_t bytes;  ///< a thread's
  std::string choice;  ///< why so much
};

std::string times_the_cache(std::int64_t bytes, std::int64_t cache) {
  char text[64];
  std::snprintf(text, sizeof text, "together %.1f times the last-level cache",
                static_cast<double>(bytes) / static_cast<double>(cache));
  return text;
}

/// The levels that `threads` threads can be shown to read from. Half of a core's own caches leaves room for
/// what else the core keeps. What is left of a sweep in the second level hides the third, so that is swept in
/// four times the second, but no more than half of what the threads share: on a virtual machine it is
/// reported whole, whoever else uses it. Where that is hardly more than the second level it is left out.
std::vector<Level> levels(int threads, std::int64_t dram_bytes) {
  const CpuInfo& machine = cpu_info();
  std::vector<Level> levels;
  if (machine.l1d_bytes > 0) levels.push_back({"l1", machine.l1d_bytes / 2, "half of a core's first level"});
  if (machine.l2_bytes / 2 > machine.l1d_bytes) {
    levels.push_back({"l2", machine.l2_bytes / 2, "half of a core's second level"});
  }
  const std::int64_t third = std::min(4 * machine.l2_bytes, machine.l3_bytes / 2 / threads);
  if (machine.l2_bytes > 0 && 2 * third >= 3 * machine.l2_bytes) {
    levels.push_back({"l3", third, "four times per core's second level or half of the third"});
  }
  // less than twice the last cache is read from there in part, and little memory is left to sweep anything
  const std::int64_t cache = host_cache_bytes();
  if (dram_bytes >= 2 * cache)
    levels.push_back({"dram", dram_bytes / threads, times_the_cache(dram_bytes, cache)});
  return levels;
}

/// Four times the last-level cache, since caches keep some of what passes through; at least 64 MiB, at most 1
/// GiB and a quarter of the memory.
std::int64_t dram_bytes() {
  const std::int64_t cache = host_cache_bytes();
  const std::int64_t most = std::min<std::int64_t>(std::int64_t{1} << 30, available_memory_bytes() / 4);
  return std::min(most, std::max(std::int64_t{64} << 20, 4 * cache));
}

/// `sums` are one cache line per thread, to which the sums go. The sweeps start at a multiple of 2 MiB: started
/// elsewhere, the first-level cache of a 2-core EPYC gave 390 instead of 525 GB/s in about half of the runs;
/// why is not known.
Plan read_plan(const AlignedArray<float>& values, const Level& level, int threads, std::vector<float>& sums) {
  const float* start = first_aligned(values.data());
  const std::int64_t count = values.count() - (start - values.data());
  const std::int64_t share = std::min(level.bytes / kFloatBytes, count / threads) / kSumStep * kSumStep;
  const auto sweep = [start, share, &sums](int thread, std::int64_t sweeps) {
    sums[static_cast<std::size_t>(thread * kLine)] =
        widest_loops().sum(start + thread * share, share, sweeps);
  };
  const auto bytes = static_cast<double>(share * kFloatBytes);
  char loop[128];
  std::snprintf(loop, sizeof loop, "sum over %.0f KiB a thread: %s", bytes / 1024, level.choice.c_str());
  return {{"cpu", "memory_read", level.name, threads, 0, "GB/s", loop},
          1e-9 * bytes * threads,
          RateMeter(sweep, threads)};
}

/// Ones, first touched by the bound threads that will sweep them, where all cores do.
AlignedArray<float> swept_array(std::int64_t bytes, int threads) {
  AlignedArray<float> values(bytes / kFloatBytes);
  const std::int64_t count = values.count();
  const BoundTeam team(threads);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i < count; ++i) values[i] = 1.0F;
  return values;
}

/// What each core has for itself does not get scarcer with more cores at work, but for a lower clock. Where
/// it seems to, another process most likely had one of the cores: the meters concerned get further chances.
void measure_shortfalls_again(const std::vector<Plan>& plans, std::vector<RateMeter>& meters) {
  constexpr int kMoreChances = 8;
  constexpr double kShortfall = 0.9;
  const auto own = [](const Ceiling& ceiling) {
    return ceiling.what == "fma" || ceiling.level == "l1" || ceiling.level == "l2";
  };
  for (int chance = 0; chance < kMoreChances; ++chance) {
    for (std::size_t one = 0; one < plans.size(); ++one) {
      const Ceiling& alone = plans[one].ceiling;
      if (alone.threads != 1 || !own(alone)) continue;
      for (std::size_t all = 0; all < plans.size(); ++all) {
        const Ceiling& together = plans[all].ceiling;
        if (together.threads == 1 || together.what != alone.what || together.level != alone.level) continue;
        if (meters[all].rate().units_per_s < kShortfall * meters[one].rate().units_per_s)
          meters[all].measure();
      }
    }
  }
}

}  // namespace

std::vector<Ceiling> measure_ceilings() {
  const CpuInfo& machine = cpu_info();
  std::vector<int> thread_counts{1};
  if (machine.cores > 1) thread_counts.push_back(machine.cores);
  const std::int64_t bytes = dram_bytes();
  const AlignedArray<float> values = swept_array(bytes + kLargePage, machine.cores);
  std::vector<float> sums(static_cast<std::size_t>(machine.cores * kLine));
  std::vector<Plan> plans;
  for (const std::string& isa : machine.isa) {
    for (const int threads : thread_counts) plans.push_back(fma_plan(isa, threads));
  }
  for (const int threads : thread_counts) {
    for (const Level& level : levels(threads, bytes)) {
      plans.push_back(read_plan(values, level, threads, sums));
    }
  }
  std::vector<RateMeter> meters;
  for (Plan& plan : plans) meters.push_back(plan.meter);
  measure_all(meters);
  measure_shortfalls_again(plans, meters);
  std::vector<Ceiling> ceilings;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Rate rate = meters[i].rate();
    Ceiling ceiling = plans[i].ceiling;
    ceiling.value = rate.units_per_s * plans[i].giga_a_unit;
    ceiling.how = rate.how(ceiling.how);
    ceiling.trusted = rate.trusted();
    ceilings.push_back(ceiling);
  }
  return ceilings;
}

}  // namespace gemmlab::cpu
