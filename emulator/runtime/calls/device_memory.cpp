#include "emulator/runtime/calls/device_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace gemmlab::emulation {
namespace {

constexpr std::uint64_t kGapPages = 64;
constexpr std::uint64_t kRoomForGaps = 64 << 20;
/// What is filled of an allocation that is longer: no shape that is checked needs so much, and what nobody touches takes no memory.
constexpr std::uint64_t kFilledBytes = 64 << 20;
/// Of what was freed as many pieces of a size stay known as such; older ones are handed out again: solve may allocate for each
/// element of C, and a new place with its gaps costs 70 pages.
constexpr std::size_t kKnownAsFreed = 64;
constexpr std::uint64_t kGivenBackBytes = 1 << 16;  ///< to the system, of what is freed, from here on

std::uint64_t pages_of(std::uint64_t bytes) {
  return (bytes + DeviceMemory::kPage - 1) / DeviceMemory::kPage;
}

/// "allocation 1" is the first one.
std::string named(const std::string& name, std::int32_t which) {
  return name.empty() ? "allocation " + std::to_string(which + 1) : name;
}

}  // namespace

DeviceMemory& make_device_memory() {
  static DeviceMemory memory;
  return memory;
}

void DeviceMemory::limit(std::uint64_t bytes, bool sparse) {
  if (base_ != nullptr) return;
  if (bytes != 0) limit_ = bytes;
  sparse_ = sparse;
}

bool DeviceMemory::open(const void* address, std::uint64_t bytes) {
  if (!sparse_ || !holds(address)) return true;
  if (bytes > kFilledBytes) return false;
  const std::uint64_t first = offset(address) / kPage, last = (offset(address) + bytes - 1) / kPage;
  for (std::uint64_t page = first; bytes > 0 && page <= last; ++page) {
    if (open_[page]) continue;
    open_[page] = true;
    mprotect(base_ + page * kPage, kPage, PROT_READ | PROT_WRITE);
  }
  return true;
}

bool DeviceMemory::reserve() {
  if (base_ != nullptr) return true;
  const std::uint64_t span = (limit_ + limit_ / 4 + kRoomForGaps) / kPage * kPage;
  const int protection = sparse_ ? PROT_READ : PROT_READ | PROT_WRITE;
  void* memory = mmap(nullptr, span, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  base_ = static_cast<char*>(memory);
  span_ = span;
  owners_.assign(span / kPage, -1);
  if (sparse_) open_.assign(span / kPage, false);
  next_page_ = kGapPages;
  return true;
}

void* DeviceMemory::allocate(std::uint64_t bytes, const std::string& name, bool for_host, int device) {
  if (!reserve() || used_ > limit_ || bytes > limit_ - used_) return nullptr;
  if (void* const memory = again(bytes, name, for_host, device)) return memory;
  const std::uint64_t pages = pages_of(bytes) + kGapPages;
  const std::uint64_t page = free_pages(pages);
  if (page == 0) return nullptr;
  Allocation made;
  made.at = page * kPage;
  made.bytes = bytes;
  made.live = true;
  made.for_host = for_host;
  shared_with_host_ = shared_with_host_ || for_host;
  made.device = device;
  const auto which = static_cast<std::int32_t>(allocations_.size());
  made.name = named(name, which);
  const std::uint64_t first = page - kGapPages / 2;
  std::fill_n(owners_.begin() + static_cast<std::ptrdiff_t>(first), pages, which);
  next_page_ = std::max(next_page_, page + pages);
  used_ += bytes;
  ++live_;
  if (!sparse_)
    std::memset(base_ + first * kPage, 0xFF,
                std::min(pages * kPage, kFilledBytes));  // what lies beside it, too
  allocations_.push_back(made);
  return base_ + made.at;
}

/// What was freed long ago; nullptr where nothing of that size was.
void* DeviceMemory::again(std::uint64_t bytes, const std::string& name, bool for_host, int device) {
  const auto freed = freed_.find(pages_of(bytes));
  if (sparse_ || freed == freed_.end() || freed->second.size() <= kKnownAsFreed) return nullptr;
  const std::int32_t which = freed->second.front();
  freed->second.pop_front();
  Allocation& its = allocations_[static_cast<std::size_t>(which)];
  its.name = named(name, which);
  its.for_host = for_host;
  shared_with_host_ = shared_with_host_ || for_host;
  its.device = device;
  its.bytes = 0;
  ++live_;
  revive(base_ + its.at, bytes);
  return base_ + its.at;
}

void DeviceMemory::revive(void* memory, std::uint64_t bytes) {
  Allocation& its = allocations_[static_cast<std::size_t>(owner(offset(memory)))];
  used_ += bytes - its.bytes;
  its.bytes = bytes;
  its.live = true;
  its.kept = false;
  if (!sparse_) std::memset(memory, 0xFF, pages_of(bytes) * kPage);
}

void DeviceMemory::retire(void* memory) {
  Allocation& its = allocations_[static_cast<std::size_t>(owner(offset(memory)))];
  its.live = false;
  its.kept = true;
}

/// The page at which so many may begin: behind all others, so that what was freed is known as such; where no room is left there,
/// in the place of what was freed. 0: nowhere.
std::uint64_t DeviceMemory::free_pages(std::uint64_t pages) {
  if ((next_page_ + pages) * kPage <= span_) return next_page_;
  freed_.clear();  // others are put there
  std::uint64_t from = kGapPages / 2;
  for (std::uint64_t at = from; at < next_page_ - kGapPages / 2; ++at) {
    const std::int32_t which = owners_[at];
    if (which >= 0 && (allocation(which).live || allocation(which).kept)) from = at + 1;
    if (at + 1 - from == pages) return from + kGapPages / 2;
  }
  return 0;
}

bool DeviceMemory::release(void* memory) {
  if (!holds(memory)) return false;
  const std::int32_t which = owner(offset(memory));
  if (which < 0 || allocation(which).at != offset(memory) || !allocation(which).live) return false;
  Allocation& gone = allocations_[static_cast<std::size_t>(which)];
  gone.live = false;
  used_ -= gone.bytes;
  const std::uint64_t pages = pages_of(gone.bytes);
  if (pages * kPage >= kGivenBackBytes) madvise(base_ + gone.at, pages * kPage, MADV_DONTNEED);
  freed_[pages].push_back(which);
  if (--live_ == 0) {  // nothing is left that an address could mean: begin at the front again
    freed_.clear();
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
