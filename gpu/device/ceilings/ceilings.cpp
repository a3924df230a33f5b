// What the GPU could do at most, each limit measured, and measured again at half the work.

#include "gpu/device/ceilings/ceilings.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/backend.h"
#include "core/statistics.h"
#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "gpu/table.h"

namespace gemmlab::gpu {
namespace {

std::vector<double> times_s(const Limit& limit, const Work& work, std::int64_t amount, EventTimer& timer) {
  std::vector<double> times;
  double spent_s = 0;
  while (static_cast<int>(times.size()) < limit.least_runs || spent_s < limit.warm_up_s) {
    timer.start(nullptr);
    work(amount);
    GEMMLAB_CUDA_CHECK(cudaGetLastError());
    times.push_back(timer.stop_s(nullptr));
    spent_s += times.back();
  }
  return times;
}

double best_of(const std::vector<double>& times) {
  return *std::min_element(times.begin(), times.end());
}

/// A card that someone else fills leaves the other limits standing.
template <typename Measure>
void append(std::vector<Ceiling>& ceilings, const Measure& measure_some) {
  try {
    for (Ceiling& ceiling : measure_some()) ceilings.push_back(std::move(ceiling));
  } catch (const OutOfMemory&) {
  }
}

}  // namespace

Ceiling measure(const Limit& limit, const Work& work) {
  EventTimer timer;
  std::vector<double> whole;
  double ratio = 0;
  bool doubled = false;
  constexpr int kAttempts = 3;
  for (int attempt = 0; attempt < kAttempts && !doubled; ++attempt) {
    const double half_s = best_of(times_s(limit, work, limit.amount / 2, timer));
    whole = times_s(limit, work, limit.amount, timer);
    ratio = best_of(whole) / half_s;
    doubled = std::abs(ratio - 2) < 2 * limit.tolerance;
  }
  const double units = limit.units_each * static_cast<double>(limit.amount) / 1e9;
  char text[160];
  std::snprintf(text, sizeof(text), ", best of %zu (median %.0f); %stwice the work took %.3f times the time",
                whole.size(), units / median(whole), doubled ? "" : "SELF-CHECK FAILED: ", ratio);
  Ceiling ceiling;
  ceiling.device = "gpu";
  ceiling.what = limit.what;
  ceiling.level = limit.level;
  ceiling.value = units / best_of(whole);
  ceiling.unit = limit.unit;
  ceiling.how = limit.loop + text;
  ceiling.trusted = doubled;
  return ceiling;
}

std::vector<Ceiling> measure_ceilings() {
  if (!unavailable().empty()) return {};
  GEMMLAB_CUDA_CHECK(cudaSetDevice(0));
  const int sm_count = device_attribute(cudaDevAttrMultiProcessorCount);
  std::vector<Ceiling> ceilings = {measure_fma(sm_count)};
  append(ceilings, [&] { return measure_l2(sm_count); });
  append(ceilings, [&] { return measure_dram(sm_count); });
  append(ceilings, [] { return measure_transfers(); });
  append(ceilings, [] { return measure_links_of_cards(); });
  return ceilings;
}

}  // namespace gemmlab::gpu
