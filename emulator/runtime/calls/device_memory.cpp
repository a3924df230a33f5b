#include "emulator/runtime/calls/device_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace gemmlab::emulation {
namespace {

constexpr std::uint64_t kGapPages = 64;
constexpr std::uint64_t kRoomForGaps = 64 << 20;

}  // namespace

DeviceMemory& make_device_memory() {
  static DeviceMemory memory;
  return memory;
}

void DeviceMemory::limit(std::uint64_t bytes) {
  if (base_ == nullptr) limit_ = bytes;
}

bool DeviceMemory::reserve() {
  if (base_ != nullptr) return true;
  const std::uint64_t span = (limit_ + limit_ / 4 + kRoomForGaps) / kPage * kPage;
  void* memory =
      mmap(nullptr, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  base_ = static_cast<char*>(memory);
  span_ = span;
  owners_.assign(span / kPage, -1);
  next_page_ = kGapPages;
  return true;
}

void* DeviceMemory::allocate(std::uint64_t bytes, const std::string& name, bool for_host, int device) {
  if (!reserve() || bytes > limit_ - used_) return nullptr;
  const std::uint64_t pages = (bytes + kPage - 1) / kPage + kGapPages;
  if ((next_page_ + pages) * kPage > span_) return nullptr;
  Allocation made;
  made.at = next_page_ * kPage;
  made.bytes = bytes;
  made.name = name.empty() ? "allocation " + std::to_string(allocations_.size() + 1) : name;
  made.live = true;
  made.for_host = for_host;
  made.device = device;
  const auto which = static_cast<std::int32_t>(allocations_.size());
  const std::uint64_t first = next_page_ - kGapPages / 2;
  std::fill_n(owners_.begin() + static_cast<std::ptrdiff_t>(first), pages, which);
  next_page_ += pages;
  used_ += bytes;
  ++live_;
  std::memset(base_ + first * kPage, 0xFF, pages * kPage);  // what lies beside it, too
  allocations_.push_back(made);
  return base_ + made.at;
}

void DeviceMemory::revive(void* memory, std::uint64_t bytes) {
  Allocation& its = allocations_[static_cast<std::size_t>(owner(offset(memory)))];
  used_ += bytes - its.bytes;
  its.bytes = bytes;
  its.live = true;
  std::memset(memory, 0xFF, (bytes + kPage - 1) / kPage * kPage);
}

bool DeviceMemory::release(void* memory) {
  if (!holds(memory)) return false;
  const std::int32_t which = owner(offset(memory));
  if (which < 0 || allocation(which).at != offset(memory) || !allocation(which).live) return false;
  Allocation& gone = allocations_[static_cast<std::size_t>(which)];
  gone.live = false;
  used_ -= gone.bytes;
  const std::uint64_t whole = (gone.bytes + kPage - 1) / kPage * kPage;
  if (whole > 0) madvise(base_ + gone.at, whole, MADV_DONTNEED);
  if (--live_ == 0) {  // nothing is left that an address could mean: begin at the front again
    std::fill(owners_.begin(), owners_.end(), -1);
    allocations_.clear();
    next_page_ = kGapPages;
  }
  return true;
}

bool DeviceMemory::inside(const void* address, std::uint64_t bytes) const {
  if (!holds(address)) return false;
  const std::int32_t which = owner(offset(address));
  if (which < 0 || !allocation(which).live) return false;
  const std::uint64_t from = offset(address) - allocation(which).at;  // wraps in front of it
  return from <= allocation(which).bytes && bytes <= allocation(which).bytes - from;
}

}  // namespace gemmlab::emulation
