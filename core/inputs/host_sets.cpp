#include "core/inputs/host_sets.h"

#include <cstring>
#include <utility>

namespace gemmlab {
namespace {

std::vector<std::int64_t> host_pool_bytes(const Instance& instance, std::int64_t sets) {
  std::vector<std::int64_t> bytes;
  for (const OperandSpec& operand : instance.operands()) {
    const bool out = operand.direction == Direction::kOut;
    bytes.push_back((out ? 1 : sets) * instance.bytes(bytes.size()));
  }
  return bytes;
}

}  // namespace

HostSets::HostSets(Backend& backend, const Instance& instance, const InputValues& values, HostMemory memory,
                   std::int64_t count)
    : contents_{instance, values},
      count_(count),
      pools_(
          host_pool_bytes(instance, count),
          [&](std::int64_t bytes) { return backend.allocate_host_bytes(bytes, memory); },
          [&backend, memory](void* taken) { backend.release_host(taken, memory); }) {
  for (std::int64_t set = 0; set < count; ++set) {
    restore(set);
    make_ready(set);
  }
}

void* HostSets::at(std::size_t operand, std::int64_t set) const {
  if (contents_.direction(operand) == Direction::kOut) return pools_.at(operand);
  return pools_.at(operand) + set * contents_.instance.bytes(operand);
}

Operands HostSets::operands(std::int64_t set) const {
  std::vector<void*> places;
  for (std::size_t operand = 0; operand < contents_.operands(); ++operand) places.push_back(at(operand, set));
  return Operands(std::move(places));
}

void HostSets::fill(std::int64_t set, Direction direction) {
  for (std::size_t operand = 0; operand < contents_.operands(); ++operand) {
    if (contents_.direction(operand) == direction) contents_.fill(operand, set, at(operand, set));
  }
}

void HostSets::make_ready(std::int64_t set) {
  for (std::size_t operand = 0; operand < contents_.operands(); ++operand) {
    if (contents_.direction(operand) == Direction::kOut)  // all bits: a quiet NaN, see Backend::poison_bytes
      std::memset(at(operand, set), 0xff, static_cast<std::size_t>(contents_.instance.bytes(operand)));
  }
  fill(set, Direction::kInOut);
}

void HostSets::restore(std::int64_t set) {
  fill(set, Direction::kIn);
}

}  // namespace gemmlab
