#include "cpu/device/scratch.h"

#include <sys/mman.h>

#include <cstdlib>
#include <memory>
#include <new>

#include "core/rounding.h"

namespace gemmlab::cpu {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = 2 << 20;

struct Free {
  void operator()(float* memory) const { std::free(memory); }
};
struct Slot {
  std::unique_ptr<float, Free> memory;
  std::int64_t floats = 0;
};

}  // namespace

float* scratch(int slot, std::int64_t floats) noexcept {
  static thread_local Slot slots[4];
  Slot& mine = slots[slot];
  if (mine.floats >= floats) return mine.memory.get();
  mine.memory.reset();
  mine.floats = 0;
  const std::size_t bytes = static_cast<std::size_t>(floats) * sizeof(float);
  // one entry of the page table's cache for a whole block of B, where the system grants large pages
  const std::size_t alignment = bytes >= kHugePage / 16 ? kHugePage : kPage;
  const std::size_t whole = rounded_up(bytes, alignment);
  mine.memory.reset(static_cast<float*>(std::aligned_alloc(alignment, whole)));
  if (!mine.memory) return nullptr;
  if (alignment == kHugePage) madvise(mine.memory.get(), whole, MADV_HUGEPAGE);
  mine.floats = static_cast<std::int64_t>(whole / sizeof(float));
  return mine.memory.get();
}

void throw_out_of_memory() {
  throw std::bad_alloc();
}

}  // namespace gemmlab::cpu
