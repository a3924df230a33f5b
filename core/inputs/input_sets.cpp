#include "core/inputs/input_sets.h"

#include <algorithm>
#include <cstring>

#include "core/inputs/matrix.h"

namespace gemmlab {
namespace {

constexpr std::int64_t kPadBytes = 256;
constexpr std::int64_t kTimesTheCache = 4;
constexpr std::int64_t kStagingBytes = 64 << 20;  // sets are made on the host and sent in pieces of this size

std::vector<std::int64_t> pool_bytes(const Instance& instance, std::int64_t sets) {
  std::vector<std::int64_t> bytes;
  for (std::size_t i = 0; i < instance.operands().size(); ++i)
    bytes.push_back(sets * padded_bytes(instance.bytes(i)));
  return bytes;
}

}  // namespace

Room room_of(const Parameters& parameters) {
  const auto found = parameters.find("operands");
  const bool host = found != parameters.end() && found->second == ParameterValue(std::string("host"));
  return host ? Room::kHost : Room::kDevice;
}

std::int64_t padded_bytes(std::int64_t bytes) {
  return (bytes + kPadBytes - 1) / kPadBytes * kPadBytes;
}

std::int64_t sets_needed(const Instance& instance, std::int64_t cache_bytes, bool cold) {
  if (!cold) return 1;
  std::int64_t set_bytes = 0;
  for (const std::int64_t bytes : pool_bytes(instance, 1)) set_bytes += bytes;
  return kTimesTheCache * cache_bytes / std::max(set_bytes, kPadBytes) + 2;
}

InputSets::InputSets(Backend& backend, const Instance& instance, const InputValues& values,
                     std::int64_t count, Room room)
    : backend_(backend),
      contents_{instance, values},
      count_(count),
      room_(room),
      pools_(
          pool_bytes(instance, count),
          [&backend, room](std::int64_t bytes) {
            return room == Room::kHost ? backend.allocate_host_bytes(bytes, HostMemory::kPinned)
                                       : backend.allocate_bytes(bytes);
          },
          [&backend, room](void* taken) {
            room == Room::kHost ? backend.release_host(taken, HostMemory::kPinned) : backend.release(taken);
          }) {
  for (std::size_t operand = 0; operand < contents_.operands(); ++operand) {
    if (contents_.direction(operand) == Direction::kIn) fill_all(operand);
  }
  make_all_ready();  // places the pages of the outputs before anything is timed, too
}

void InputSets::fill_all(std::size_t operand) {
  const std::int64_t piece =
      std::max<std::int64_t>(1, kStagingBytes / std::max<std::int64_t>(1, stride(operand)));
  for (std::int64_t first = 0; first < count_; first += piece)
    fill_sets(operand, first, std::min(piece, count_ - first));
}

void InputSets::fill_sets(std::size_t operand, std::int64_t first, std::int64_t count) {
  if (room_ == Room::kHost) return fill_on_host(operand, first, count);
  const std::int64_t step = stride(operand);
  AlignedArray<char> staging(count * step);
  std::memset(staging.data(), 0, static_cast<std::size_t>(staging.count()));
  const bool differs = instance().operation->differs_by_set(operand);
  for (std::int64_t s = 0; s < count; ++s) {
    char* to = staging.data() + s * step;
    if (differs || s == 0) {
      contents_.fill(operand, first + s, to);
    } else {
      std::memcpy(to, staging.data(), static_cast<std::size_t>(step));
    }
  }
  backend_.upload_bytes(at(operand, first), staging.data(), staging.count());
}

void InputSets::fill_on_host(std::size_t operand, std::int64_t first, std::int64_t count) {
  backend_.synchronize();  // what the device still copies
  for (std::int64_t set = first; set < first + count; ++set) contents_.fill(operand, set, at(operand, set));
}

void InputSets::poison(std::size_t operand, std::int64_t set, std::int64_t bytes) {
  if (room_ == Room::kDevice) return backend_.poison_bytes(at(operand, set), bytes);
  backend_.synchronize();
  std::memset(at(operand, set), 0xff, static_cast<std::size_t>(bytes));  // see Backend::poison_bytes
}

Operands InputSets::operands(std::int64_t set) const {
  std::vector<void*> places;
  for (std::size_t operand = 0; operand < contents_.operands(); ++operand) places.push_back(at(operand, set));
  return Operands(std::move(places));
}

void InputSets::make_ready(std::int64_t set) {
  for (std::size_t operand = 0; operand < contents_.operands(); ++operand) {
    const Direction direction = contents_.direction(operand);
    if (direction == Direction::kOut) poison(operand, set, instance().bytes(operand));
    if (direction == Direction::kInOut) fill_sets(operand, set, 1);
  }
}

void InputSets::make_all_ready() {
  for (std::size_t operand = 0; operand < contents_.operands(); ++operand) {
    const Direction direction = contents_.direction(operand);
    if (direction == Direction::kOut) poison(operand, 0, count_ * stride(operand));
    if (direction == Direction::kInOut) fill_all(operand);
  }
}

void InputSets::restore(std::int64_t set) {
  for (std::size_t operand = 0; operand < contents_.operands(); ++operand) {
    if (contents_.direction(operand) == Direction::kIn) fill_sets(operand, set, 1);
  }
}

}  // namespace gemmlab
