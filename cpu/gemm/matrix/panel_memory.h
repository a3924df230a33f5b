#pragma once

// Memory for packed operands.

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "core/rounding.h"

namespace gemmlab::cpu {

struct FreePanels {
  void operator()(char* memory) const { std::free(memory); }
};
using PanelMemory = std::unique_ptr<char, FreePanels>;

/// At a huge page's start, asked for in huge pages. Throws std::bad_alloc.
inline PanelMemory panel_memory(std::int64_t bytes) {
  constexpr std::size_t kHugePage = 2 << 20;
  const std::size_t whole = rounded_up(static_cast<std::size_t>(bytes), kHugePage);
  PanelMemory memory(static_cast<char*>(std::aligned_alloc(kHugePage, whole)));
  if (!memory) throw std::bad_alloc();
  madvise(memory.get(), whole, MADV_HUGEPAGE);
  return memory;
}

}  // namespace gemmlab::cpu
