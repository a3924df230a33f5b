// cp.async: a copy is done when its thread waits for it, not before, so that a wait that was forgotten shows.

#include <cstring>

#include "emulator/runtime/calls/device_memory.h"
#include "emulator/runtime/checks/check.h"
#include "emulator/runtime/run.h"
#include "emulator/runtime/shared_memory.h"

namespace gemmlab::emulation {
namespace {

Access part_of(const AsyncCopy& copy, Space space, std::uint64_t at, Operation operation,
               std::uint64_t source) {
  return {at, copy.place, copy.bytes, space, operation, true, true, 0, source};
}

void finish(const AsyncCopy& copy) {
  const std::uint32_t now = current->place;
  current->place = copy.place;
  check_shared(copy.to, copy.bytes, Operation::kStore);
  std::memcpy(copy.to, copy.data, copy.bytes);
  settle_rival(*current);
  current->place = now;
}

}  // namespace

void async_copy(void* shared, const void* global, std::size_t bytes, std::size_t source_bytes) {
  if (current == nullptr) return;
  settle_rival(*current);
  current->place = place_of(__builtin_return_address(0));
  async_copy_here(shared, global, bytes, source_bytes);
}

void async_copy_here(void* shared, const void* global, std::size_t bytes, std::size_t source_bytes) {
  if (!shared_memory().holds(shared)) refuse_address(shared, static_cast<unsigned>(bytes), Operation::kStore);
  check_shared_bounds(shared, static_cast<unsigned>(bytes), Operation::kStore);
  AsyncCopy copy{shared, current->place, current->group, static_cast<std::uint8_t>(bytes), {}};
  if (source_bytes > 0) {
    if (!device_memory().holds(global))
      refuse_address(global, static_cast<unsigned>(bytes), Operation::kLoad);
    check_global(global, static_cast<unsigned>(source_bytes), Operation::kLoad);
    std::memcpy(copy.data, global, source_bytes);
    note(part_of(copy, Space::kGlobal, device_memory().offset(global), Operation::kLoad, 0));
  }
  current->copies.push_back(copy);
  note(part_of(copy, Space::kShared, shared_memory().offset(shared), Operation::kStore,
               source_bytes > 0 ? device_memory().offset(global) : 0));
}

void async_commit() {
  if (current != nullptr) ++current->group;
}

void async_wait(int groups_left) {
  if (current == nullptr) return;
  auto& copies = current->copies;
  std::size_t done = 0;
  const auto left = static_cast<std::uint32_t>(groups_left);
  while (done < copies.size() && (groups_left < 0 || copies[done].group + left < current->group)) {
    finish(copies[done++]);
  }
  copies.erase(copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(done));
}

}  // namespace gemmlab::emulation
