#include "emulator/runtime/checks/check.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>

#include "emulator/include/gemmlab_cuda_api.h"
#include "emulator/runtime/calls/device_memory.h"
#include "emulator/runtime/calls/devices.h"
#include "emulator/runtime/checks/global_races.h"
#include "emulator/runtime/checks/order.h"
#include "emulator/runtime/checks/shared_races.h"
#include "emulator/runtime/checks/wording.h"
#include "emulator/runtime/limits.h"
#include "emulator/runtime/run.h"
#include "emulator/runtime/shared_memory.h"

namespace gemmlab::emulation {
namespace {

[[noreturn]] void refuse_alignment(const std::string& name, unsigned bytes, std::uint64_t at,
                                   Operation operation) {
  Finding finding = finding_at("misaligned", operation, static_cast<std::int64_t>(at));
  finding.array = name;
  finding.text = "At " + place_text(current->place) + " " + who() + " " + verb(operation) + " " +
                 std::to_string(bytes) + " bytes of " + name + " at an address that is not a multiple of " +
                 std::to_string(bytes) + ": byte " + std::to_string(at) + ".";
  run().end_kernel(std::move(finding), cudaErrorMisalignedAddress);
}

/// Is there any memory of this process at that address?
bool is_mapped(const void* address) {
  constexpr std::uintptr_t kPage = 4096;
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(address) / kPage * kPage;
  return madvise(reinterpret_cast<void*>(page), kPage, MADV_NORMAL) == 0;
}

/// Told, but no end: as on a card, what lies beside an allocation can be touched.
void tell_global(const Allocation& allocation, std::int64_t from, unsigned bytes, Operation operation) {
  if (run().findings().known("out-of-bounds", current->place)) return;
  Finding finding = finding_at("out-of-bounds", operation, from);
  finding.array = allocation.name;
  const auto size = static_cast<std::int64_t>(allocation.bytes);
  std::string where;
  if (!allocation.live) {
    where = ", which has been freed";
  } else if (from < 0) {
    where = ", " + std::to_string(-from) + " bytes in front of its beginning";
  } else {
    const std::int64_t each = std::min<std::int64_t>(bytes, sizeof(float));  // 2: a half, 1: an int8
    where = ", " + std::to_string(from + static_cast<std::int64_t>(bytes) - size) +
            " bytes beyond its end (element " + std::to_string(from / each) + " of " +
            std::to_string(size / each) +
            (each == sizeof(float) ? ", as floats)" : ", of " + std::to_string(each) + " bytes each)");
  }
  finding.text = "At " + place_text(current->place) + " " + who() + " " + verb(operation) + " " +
                 allocation.name + " out of bounds" + where + ".";
  run().add(std::move(finding));
}

/// Of dynamic shared memory: who has asked for how much, in elements, as the mistake may be.
std::string dynamic_size(const SharedPlace& place) {
  const auto bytes = static_cast<std::int64_t>(place.bytes);
  const auto each = static_cast<std::int64_t>(shared_memory().element_bytes(place));
  const Launch& launch = *run().launch_now();
  const std::string where = launch.line > 0 ? " in line " + std::to_string(launch.line) : std::string();
  if (bytes == 0)
    return " The launch" + where +
           " asks for no dynamic shared memory: its size is the third number between <<< and >>>.";
  return " The launch" + where + " asks for " + std::to_string(bytes) +
         " bytes of dynamic shared memory, which are " + std::to_string(bytes / each) + " elements of " +
         std::to_string(each) + " bytes" +
         (each > 1 ? "; were " + std::to_string(bytes) + " elements meant? The size is told in bytes." : ".");
}

[[noreturn]] void refuse_shared(const SharedPlace* place, std::uint64_t at, Operation operation) {
  const auto offset = static_cast<std::int64_t>(place == nullptr ? at : at - place->at);
  Finding finding = finding_at("out-of-bounds", operation, offset);
  const std::string element = place == nullptr ? "shared memory in front of the first array"
                                               : shared_memory().element(*place, offset);
  if (place != nullptr) finding.array = shared_memory().name(*place);
  finding.text = "At " + place_text(current->place) + " " + who() + " " + verb(operation) + " " + element +
                 ": out of bounds in shared memory.";
  if (place != nullptr && place->array == nullptr) finding.text += dynamic_size(*place);
  run().end_kernel(std::move(finding), cudaErrorIllegalAddress);
}

[[noreturn]] void refuse_device(const Allocation& allocation, std::uint64_t from, Operation operation) {
  Finding finding = finding_at("no-peer-access", operation, static_cast<std::int64_t>(from));
  finding.array = allocation.name;
  const int device = run().launch_now()->device;
  finding.text = "At " + place_text(current->place) + " " + who() + " of a kernel on device " +
                 std::to_string(device) + " " + verb(operation) + " " + allocation.name +
                 ", which is memory of device " + std::to_string(allocation.device) +
                 ": cudaDeviceEnablePeerAccess has not been called for it.";
  run().end_kernel(std::move(finding), cudaErrorIllegalAddress);
}

const SharedPlace* shared_place(std::uint64_t at, unsigned bytes, Operation operation) {
  const SharedPlace* place = shared_memory().find(at);
  if (place == nullptr || at + bytes > place->at + place->bytes) refuse_shared(place, at, operation);
  if ((at & (bytes - 1)) != 0)
    refuse_alignment(shared_memory().name(*place), bytes, at - place->at, operation);
  return place;
}

}  // namespace

void* shared_array(SharedArray* array) {
  void* address = shared_memory().place(array);
  const std::uint64_t bytes = shared_memory().static_bytes();
  if (current == nullptr || (address != nullptr && bytes <= kStaticSharedBytes)) return address;
  Finding finding;
  finding.kind = "too-much-shared";
  finding.array = array->name;
  finding.text = std::string("The kernel's shared arrays take more than ") +
                 std::to_string(kStaticSharedBytes) + " bytes with " + array->name + ": nvcc refuses that.";
  run().end_kernel(std::move(finding), cudaErrorInvalidValue);
}

void* dynamic_shared_memory(const char* name, std::size_t element_bytes) {
  return shared_memory().dynamic(name, element_bytes);
}

void check_global(const void* address, unsigned bytes, Operation operation, bool alone) {
  const DeviceMemory& memory = device_memory();
  const std::uint64_t offset = memory.offset(address);
  const std::int32_t which = memory.owner(offset);
  if (which < 0) refuse_address(address, bytes, operation);
  const Allocation& allocation = memory.allocation(which);
  const std::uint64_t from = offset - allocation.at;  // wraps in front of it
  if (!allocation.live || from >= allocation.bytes || bytes > allocation.bytes - from) {
    return tell_global(allocation, static_cast<std::int64_t>(from), bytes, operation);
  }
  if ((from & (bytes - 1)) != 0) refuse_alignment(allocation.name, bytes, from, operation);
  if (operation != Operation::kLoad) device_memory().open(address, bytes);
  const int device = run().launch_now()->device;
  if (allocation.device != device && !allocation.for_host && !may_touch(device, allocation.device))
    refuse_device(allocation, from, operation);
  if (uses().on()) {
    if (operation == Operation::kLoad) {
      uses().kernel_reads(which, offset, bytes);
    } else {
      uses().kernel_writes(which, offset, bytes);
    }
  }
  global_races().access(which, allocation, offset, bytes, operation, alone);
}

void check_shared_bounds(const void* address, unsigned bytes, Operation operation) {
  shared_place(shared_memory().offset(address), bytes, operation);
}

void check_shared(const void* address, unsigned bytes, Operation operation) {
  const std::uint64_t at = shared_memory().offset(address);
  const auto rank = static_cast<unsigned>(at / SharedMemory::kBytes);
  if (run().clustered() && rank != run().rank_in_cluster() && run().has_left(rank)) {
    Finding finding = finding_at("illegal-address", operation, 0);
    finding.text =
        "At " + place_text(current->place) + " " + who() + " " + verb(operation) +
        " shared memory of block " + std::to_string(rank) +
        " of its cluster, whose threads have all returned: a barrier of the cluster at the end keeps "
        "them there.";
    run().end_kernel(std::move(finding), cudaErrorIllegalAddress);
  }
  note_shared(*shared_place(at, bytes, operation), at, bytes, operation, actor_of(*current));
}

void check_shared_by(const Actor& actor, const void* address, unsigned bytes, Operation operation) {
  const std::uint64_t at = shared_memory().offset(address);
  note_shared(*shared_place(at, bytes, operation), at, bytes, operation, actor);
}

void refuse_address(const void* address, unsigned bytes, Operation operation) {
  Finding finding = finding_at("illegal-address", operation, 0);
  char text[32];
  std::snprintf(text, sizeof text, "%p", address);
  const bool null = reinterpret_cast<std::uintptr_t>(address) < 65536;
  const std::string does = "At " + place_text(current->place) + " " + who() + " " + verb(operation) + " ";
  if (const Run::HostObject* object = run().host_memory_at(address)) {
    finding.array = object->name;
    finding.text = does + object->name +
                   ", a parameter that the kernel takes by reference: the address is of the host's memory.";
  } else if (!null && is_mapped(address)) {
    finding.text =
        does + std::to_string(bytes) + " bytes at the address " + text +
        ", which is memory of the host (a local variable, new, malloc, std::vector), not of the device.";
  } else {
    finding.text = does + std::to_string(bytes) + " bytes at " +
                   (null ? std::string("a null pointer") : std::string("the address ") + text) +
                   ", which is no memory of the device.";
  }
  run().end_kernel(std::move(finding), cudaErrorIllegalAddress);
}

}  // namespace gemmlab::emulation
