#include "runner/roofline.h"

#include <algorithm>

namespace gemmlab::runner {
namespace {

/// The best value of `what` at `level` (empty: any) for a device with `threads` threads: measured at one and
/// at all, in proportion between. 0 where it was not measured for so many.
double best(const std::vector<Ceiling>& ceilings, const Device& device, const std::string& what,
            const std::string& level, std::int64_t threads) {
  double one = 0;
  double all = 0;
  bool many_cores = false;
  for (const Ceiling& ceiling : ceilings) {
    if (ceiling.device != device.name) continue;
    many_cores = many_cores || ceiling.threads > 1;
    if (ceiling.what != what || (!level.empty() && ceiling.level != level)) continue;
    double& value = ceiling.threads == 1 ? one : all;
    value = std::max(value, ceiling.value);
  }
  if (!device.host_threads) return all;
  if (!many_cores || threads <= 1) return one;
  return std::min(all, one * static_cast<double>(threads));
}

double least_bytes(const Point& point) {
  return point.instance.operation->least_bytes(point.instance);
}

/// Where the operands of a point come from: memory, unless they are warm and fit into a cache.
std::string level_of(const Point& point, std::int64_t threads, const CacheSizes& caches) {
  const double bytes = least_bytes(point);
  const auto fits = [&](std::int64_t cache) { return cache > 0 && bytes <= static_cast<double>(cache); };
  if (point.cold) return "dram";
  if (point.device.own_memory) return fits(caches.gpu_l2) ? "l2" : "dram";
  if (fits(caches.cpu_l1 * threads)) return "l1";
  if (fits(caches.cpu_l2 * threads)) return "l2";
  return fits(caches.cpu_l3) ? "l3" : "dram";
}

/// Seconds that the inputs take to the device and the outputs back; 0 where they do not travel or no rate is
/// known.
double transfer_s(const Point& point, const std::vector<Ceiling>& ceilings) {
  const bool counted = point.scope == Scope::kEndToEnd || point.scope == Scope::kFirstCall;
  if (!point.device.own_memory || !counted) return 0;
  const std::string memory =
      to_string(point.scope == Scope::kEndToEnd ? point.host_memory : HostMemory::kPageable);
  const double in = 1e9 * best(ceilings, point.device, "transfer_to_device", memory, 0);
  const double out = 1e9 * best(ceilings, point.device, "transfer_from_device", memory, 0);
  if (in <= 0 || out <= 0) return 0;
  double seconds = 0;
  const std::vector<OperandSpec> operands = point.instance.operands();
  for (std::size_t operand = 0; operand < operands.size(); ++operand) {
    const auto bytes = static_cast<double>(point.instance.bytes(operand));
    if (operands[operand].direction != Direction::kOut) seconds += bytes / in;
    if (operands[operand].direction != Direction::kIn) seconds += bytes / out;
  }
  return seconds;
}

/// Cards that share the point, each with ceilings of its own.
double cards_of(const Point& point) {
  const auto gpus = point.parameters.find("gpus");
  return gpus == point.parameters.end() ? 1 : static_cast<double>(std::get<std::int64_t>(gpus->second));
}

}  // namespace

Floor floor_of(const Point& point, const std::vector<Ceiling>& ceilings, const CacheSizes& caches) {
  const auto threads = point.parameters.find("threads");
  const std::int64_t count = threads == point.parameters.end() ? 1 : std::get<std::int64_t>(threads->second);
  const double cards = cards_of(point);
  const double flop_per_s = 1e9 * cards * best(ceilings, point.device, "fma", "", count);
  if (flop_per_s <= 0) return {};
  Floor floor{point.instance.operation->operation_count(point.instance) / flop_per_s, "compute"};
  std::string level = level_of(point, count, caches);
  double bytes_per_s = 1e9 * cards * best(ceilings, point.device, "memory_read", level, count);
  if (bytes_per_s <= 0) {  // a level that was not measured for so many threads
    level = "dram";
    bytes_per_s = 1e9 * cards * best(ceilings, point.device, "memory_read", level, count);
  }
  const double memory_s = bytes_per_s > 0 ? least_bytes(point) / bytes_per_s : 0;
  if (memory_s > floor.seconds) floor = {memory_s, level == "dram" ? "memory" : level};
  const double travel_s = transfer_s(point, ceilings);
  if (travel_s > floor.seconds) floor = {travel_s, "transfer"};
  return floor;
}

Json to_json(const Ceiling& ceiling) {
  return {{"device", ceiling.device},   {"what", ceiling.what},      {"level", ceiling.level},
          {"threads", ceiling.threads}, {"value", ceiling.value},    {"unit", ceiling.unit},
          {"how", ceiling.how},         {"trusted", ceiling.trusted}};
}

Ceiling ceiling_from(const Json& json) {
  return {json.at("device"), json.at("what"), json.at("level"), json.at("threads"),
          json.at("value"),  json.at("unit"), json.at("how"),   json.at("trusted")};
}

Json to_json(const Cost& cost) {
  return {{"device", cost.device},
          {"what", cost.what},
          {"value", cost.seconds},
          {"unit", "s"},
          {"how", cost.how}};
}

Cost cost_from(const Json& json) {
  return {json.at("device"), json.at("what"), json.at("value"), json.at("how")};
}

}  // namespace gemmlab::runner
