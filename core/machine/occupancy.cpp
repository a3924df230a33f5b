#include "core/machine/occupancy.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/rounding.h"

namespace gemmlab {
namespace {

constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kSubPartitions = 4;  // each holds a warp's registers in its own file
constexpr std::int64_t kRegisterUnit = 256;
constexpr std::int64_t kSharedUnit = 128;
constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

std::int64_t by_registers(const SmLimits& sm, const BlockNeeds& block, std::int64_t warps) {
  if (block.registers == 0) return kNoLimit;
  const std::int64_t of_warp = rounded_up(block.registers * kWarp, kRegisterUnit);
  return sm.registers / kSubPartitions / of_warp * kSubPartitions / warps;
}

std::int64_t by_shared_memory(const SmLimits& sm, const BlockNeeds& block) {
  if (block.shared_bytes == 0) return kNoLimit;
  return sm.shared_bytes / rounded_up(block.shared_bytes, kSharedUnit);
}

}  // namespace

std::string occupancy_limit(const SmLimits& sm, const BlockNeeds& block) {
  const std::int64_t warps = ceil_div(block.threads, kWarp);  // a started warp takes a whole one's place
  const std::pair<const char*, std::int64_t> limits[] = {{"registers", by_registers(sm, block, warps)},
                                                         {"shared memory", by_shared_memory(sm, block)},
                                                         {"threads", sm.threads / (warps * kWarp)},
                                                         {"blocks", sm.blocks}};
  std::int64_t least = kNoLimit;
  for (const auto& [name, blocks] : limits) least = std::min(least, blocks);
  if (least * warps * kWarp == sm.threads) return "none";
  std::string names;
  for (const auto& [name, blocks] : limits) {
    if (blocks == least) names += (names.empty() ? "" : " and ") + std::string(name);
  }
  return names;
}

}  // namespace gemmlab
