#include "experiments/runner/roofline.h"

#include <algorithm>

namespace gemmlab::runner {
namespace {

/// The best value of `what` for a device with `threads` threads: measured at one and at all, in proportion
/// between.
double best(const std::vector<Ceiling>& ceilings, const std::string& device, const std::string& what,
            std::int64_t threads) {
  double one = 0;
  double all = 0;
  for (const Ceiling& ceiling : ceilings) {
    if (ceiling.device != device || ceiling.what != what) continue;
    if (ceiling.threads == 1) one = std::max(one, ceiling.value);
    all = std::max(all, ceiling.value);
  }
  return device == "gpu" || one == 0 ? all : std::min(all, one * static_cast<double>(threads));
}

}  // namespace

Floor floor_of(const Point& point, const std::vector<Ceiling>& ceilings) {
  const std::string device = point.implementation.substr(0, point.implementation.find('.'));
  const auto threads = point.parameters.find("threads");
  const std::int64_t count = threads == point.parameters.end() ? 1 : std::get<std::int64_t>(threads->second);
  const double flop_per_s = 1e9 * best(ceilings, device, "fma", count);
  const double bytes_per_s = 1e9 * best(ceilings, device, "memory_read", count);
  if (flop_per_s <= 0) return {};
  const double compute_s = point.shape.flop() / flop_per_s;
  const double memory_s = point.cold && bytes_per_s > 0 ? point.shape.least_bytes() / bytes_per_s : 0;
  return memory_s > compute_s ? Floor{memory_s, "memory"} : Floor{compute_s, "compute"};
}

Json to_json(const Ceiling& ceiling) {
  return {{"device", ceiling.device},   {"what", ceiling.what},   {"level", ceiling.level},
          {"threads", ceiling.threads}, {"value", ceiling.value}, {"unit", ceiling.unit},
          {"how", ceiling.how}};
}

Ceiling ceiling_from(const Json& json) {
  return {json.at("device"), json.at("what"), json.at("level"), json.at("threads"),
          json.at("value"),  json.at("unit"), json.at("how")};
}

}  // namespace gemmlab::runner
