// Every access of an instrumented program arrives here, before it is made: the functions that the compiler calls under
// -fsanitize=thread. Named by its interface, which GCC and Clang share.

#include <csignal>
#include <cstring>

#include "emulator/runtime/calls/device_memory.h"
#include "emulator/runtime/calls/module_data.h"
#include "emulator/runtime/calls/streams.h"
#include "emulator/runtime/checks/check.h"
#include "emulator/runtime/checks/global_races.h"
#include "emulator/runtime/checks/order.h"
#include "emulator/runtime/run.h"
#include "emulator/runtime/shared_memory.h"

volatile char gemmlab_emulation_round = 0;

namespace gemmlab::emulation {
namespace {

/// Device memory from the host's code: on a card's host that is a segmentation fault.
void host_access(const void* address, unsigned bytes, Operation operation, const void* place) {
  DeviceMemory& memory = device_memory();
  if (!memory.holds(address)) return;
  const std::lock_guard lock(runtime_mutex());
  const std::int32_t which = memory.owner(memory.offset(address));
  if (which >= 0 && memory.allocation(which).for_host) {
    if (operation != Operation::kLoad) memory.open(address, bytes);
    if (memory.inside(address, bytes))
      uses().host_touches(which, memory.offset(address), bytes, operation == Operation::kLoad,
                          place_of(place));
    return;
  }
  Finding finding;
  finding.kind = "host-touches-device";
  finding.place = place_of(place);
  finding.text = "Code of the host touches device memory at " + place_text(finding.place) +
                 (which >= 0 ? " (" + memory.allocation(which).name + ")" : std::string()) +
                 ": only kernels and cudaMemcpy can.";
  finding.fatal = true;
  run().add(std::move(finding));
  std::raise(SIGSEGV);
}

bool own_memory(const void* address, unsigned bytes) {
  const auto at = static_cast<std::uint64_t>(static_cast<const char*>(address) - current->stack);
  if (at < kStackBytes) return true;
  if (run().host_memory_at(address) != nullptr) return false;
  const Launch& launch = *run().launch_now();
  const auto argument = static_cast<std::uint64_t>(static_cast<const char*>(address) -
                                                   static_cast<const char*>(launch.arguments.get()));
  return (argument < launch.argument_bytes && argument + bytes <= launch.argument_bytes) ||
         is_module_data(address);
}

/// Notes what the current thread polls; nullptr: it does something else.
void look_again(const void* address, unsigned bytes) {
  auto& poll = current->poll;
  if (address == nullptr) {
    poll.address = nullptr;
    return;
  }
  std::uint64_t value = 0;
  std::memcpy(&value, address, bytes < sizeof value ? bytes : sizeof value);
  poll.times = poll.address == address && poll.value == value ? poll.times + 1 : 0;
  poll.address = address;
  poll.value = value;
  if (poll.times < Run::kManyLooks) return;
  run().someone_waits();
  current->left = 1;  // others' turn
}

/// `place`: how to find where it is, asked only where memory of the device is touched.
template <typename Place>
[[gnu::always_inline]] inline void access_by_thread(const void* address, unsigned bytes, Operation operation,
                                                    bool alone, const Place& place, bool counted = true) {
  if (current->rival.address != nullptr) settle_rival(*current);
  const bool meets = alone || operation == Operation::kAtomic;  // how threads wait for each other
  if (shared_memory().holds(address)) {
    current->place = place();
    if (meets) global_races().synchronises(false);
    check_shared(address, bytes, operation);
    note({shared_memory().offset(address), current->place, static_cast<std::uint8_t>(bytes), Space::kShared,
          operation, false, alone},
         counted);
  } else if (device_memory().holds(address)) {
    current->place = place();
    check_global(address, bytes, operation, alone);
    look_again(meets ? address : nullptr, bytes);
    note({device_memory().offset(address), current->place, static_cast<std::uint8_t>(bytes), Space::kGlobal,
          operation, false, alone},
         counted);
  } else if (current->packs || is_launch_index(address)) {
    return;
  } else if (!own_memory(address, bytes)) {
    current->place = place();
    refuse_address(address, bytes, operation);
  } else if (is_module_data(address)) {
    current->place = place();
    check_variable(address, bytes, operation);
    if (!meets) return;
    global_races().synchronises(true);
    look_again(address, bytes);
    if (--current->left <= 0) leave();
  }
}

void access(const void* address, unsigned bytes, Operation operation, const void* place, bool alone = false) {
  if (current == nullptr) return host_access(address, bytes, operation, place);
  access_by_thread(address, bytes, operation, alone, [&] { return place_of(place); });
}

void access_alone(const void* address, unsigned bytes, Operation operation, const void* place) {
  if (address == const_cast<const char*>(&gemmlab_emulation_round)) {
    if (current != nullptr) ++current->round;
    return;
  }
  access(address, bytes, operation, place, true);
}

/// What is not aligned by its type is moved in pieces that are.
void access_in_pieces(const void* address, std::size_t bytes, Operation operation, const void* place) {
  const auto* from = static_cast<const char*>(address);
  const bool words = ((reinterpret_cast<std::uintptr_t>(from) | bytes) & 3) == 0;
  const unsigned step = words ? 4 : 1;
  for (std::size_t at = 0; at < bytes; at += step) access(from + at, step, operation, place);
}

}  // namespace

void access_here(const void* address, unsigned bytes, Operation operation, bool alone, bool counted) {
  access_by_thread(
      address, bytes, operation, alone, [place = current->place] { return place; }, counted);
}

void atomic_access(const volatile void* address, std::size_t bytes, const void* place) {
  access(const_cast<const void*>(address), static_cast<unsigned>(bytes), Operation::kAtomic, place);
}

}  // namespace gemmlab::emulation

// GCC and Clang know these names; a thread may be left for good in any of them.
#define GEMMLAB_HOOK(name, function, bytes, operation)                                     \
  extern "C" void __tsan_##name(void* address) {                                           \
    gemmlab::emulation::function(address, bytes, gemmlab::emulation::Operation::operation, \
                                 __builtin_return_address(0));                             \
  }
#define GEMMLAB_HOOKS(bytes)                                     \
  GEMMLAB_HOOK(read##bytes, access, bytes, kLoad)                \
  GEMMLAB_HOOK(write##bytes, access, bytes, kStore)              \
  GEMMLAB_HOOK(volatile_read##bytes, access_alone, bytes, kLoad) \
  GEMMLAB_HOOK(volatile_write##bytes, access_alone, bytes, kStore)
#define GEMMLAB_UNALIGNED(bytes)                                               \
  GEMMLAB_HOOK(unaligned_read##bytes, access_in_pieces, bytes, kLoad)          \
  GEMMLAB_HOOK(unaligned_write##bytes, access_in_pieces, bytes, kStore)        \
  GEMMLAB_HOOK(unaligned_volatile_read##bytes, access_in_pieces, bytes, kLoad) \
  GEMMLAB_HOOK(unaligned_volatile_write##bytes, access_in_pieces, bytes, kStore)
GEMMLAB_HOOKS(1)
GEMMLAB_HOOKS(2)
GEMMLAB_HOOKS(4)
GEMMLAB_HOOKS(8)
GEMMLAB_HOOKS(16)
GEMMLAB_UNALIGNED(2)
GEMMLAB_UNALIGNED(4)
GEMMLAB_UNALIGNED(8)
GEMMLAB_UNALIGNED(16)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

// Structures larger than 16 bytes.
void __tsan_read_range(void* address, std::size_t bytes) {
  gemmlab::emulation::access_in_pieces(address, bytes, gemmlab::emulation::Operation::kLoad,
                                       __builtin_return_address(0));
}
void __tsan_write_range(void* address, std::size_t bytes) {
  gemmlab::emulation::access_in_pieces(address, bytes, gemmlab::emulation::Operation::kStore,
                                       __builtin_return_address(0));
}
}
