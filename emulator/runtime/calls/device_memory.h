#pragma once

// Device memory: an arena of address space in which every allocation has exact bounds and wide gaps beside it.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gemmlab::emulation {

struct Allocation {
  std::uint64_t at = 0;  ///< offset in the arena
  std::uint64_t bytes = 0;
  std::string name;
  bool live = false;
  bool kept = false;      ///< retired: its pages are nobody else's
  bool for_host = false;  ///< managed: host code may touch it, too, and every card
  int device = 0;         ///< whose memory it is
};

class DeviceMemory {
 public:
  static constexpr std::uint64_t kPage = 4096;

  /// Reserves the arena at the first allocation; how large, is settled by then.
  void limit(std::uint64_t bytes, bool sparse = false);
  bool sparse() const { return sparse_; }
  /// Of sparse memory: about to be written to. False where that is too much of it, which nobody will look at.
  bool open(const void* address, std::uint64_t bytes);
  /// nullptr where memory is out. What it hands out is full of 0xFF: a NaN, as floats.
  void* allocate(std::uint64_t bytes, const std::string& name, bool for_host, int device);
  bool release(void* memory);
  /// No longer to be touched, but kept; and again, with as many pages.
  void retire(void* memory);
  void revive(void* memory, std::uint64_t bytes);

  bool holds(const void* address) const {
    return static_cast<std::uint64_t>(static_cast<const char*>(address) - base_) < span_;
  }
  std::uint64_t offset(const void* address) const {
    return static_cast<std::uint64_t>(static_cast<const char*>(address) - base_);
  }
  /// The allocation that an address lies in or next to; -1 where there never was one.
  std::int32_t owner(std::uint64_t offset) const { return owners_[offset / kPage]; }
  const Allocation& allocation(std::int32_t which) const {
    return allocations_[static_cast<std::size_t>(which)];
  }
  void* address(std::uint64_t offset) const { return base_ + offset; }
  const std::vector<Allocation>& allocations() const { return allocations_; }
  /// Does [address, address + bytes) lie within one live allocation?
  bool inside(const void* address, std::uint64_t bytes) const;

  std::uint64_t total() const { return limit_; }
  std::uint64_t used() const { return used_; }
  /// Is there memory that the host's code may touch, too?
  bool shared_with_host() const { return shared_with_host_; }

 private:
  bool reserve();
  void* again(std::uint64_t bytes, const std::string& name, bool for_host, int device);
  std::uint64_t free_pages(std::uint64_t pages);
  char* base_ = nullptr;
  std::uint64_t span_ = 0;
  std::uint64_t limit_ = std::uint64_t{1} << 30;
  std::uint64_t used_ = 0;
  std::uint64_t next_page_ = 0;
  int live_ = 0;
  bool shared_with_host_ = false;
  bool sparse_ = false;
  std::vector<bool> open_;            ///< by page
  std::vector<std::int32_t> owners_;  ///< by page
  std::vector<Allocation> allocations_;
  std::map<std::uint64_t, std::deque<std::int32_t>> freed_;  ///< by their pages, the oldest first
};

DeviceMemory& make_device_memory();
inline DeviceMemory& device_memory() {
  static DeviceMemory* const memory = &make_device_memory();
  return *memory;
}

}  // namespace gemmlab::emulation
