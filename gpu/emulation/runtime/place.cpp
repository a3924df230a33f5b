#include <link.h>

#include "gpu/emulation/runtime/run.h"

extern const char __ehdr_start[]
    __attribute__((visibility("hidden")));  // of the library or program that holds this

namespace gemmlab::emulation {
namespace {

struct Range {
  std::uintptr_t from = 0, to = 0;
};

/// The writable part of this library in memory.
Range own_data() {
  Range range;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        const auto here = reinterpret_cast<std::uintptr_t>(__ehdr_start);
        Range found;
        bool mine = false;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD) continue;
          const std::uintptr_t from = info->dlpi_addr + part.p_vaddr;
          mine = mine || (from <= here && here < from + part.p_memsz);
          if ((part.p_flags & PF_W) != 0) found = {from, from + part.p_memsz};
        }
        if (mine) *static_cast<Range*>(data) = found;
        return mine ? 1 : 0;
      },
      &range);
  return range;
}

}  // namespace

std::uint32_t place_of(const void* return_address) {
  // one byte back: within the call, so that the line is the call's
  return static_cast<std::uint32_t>(static_cast<const char*>(return_address) - 1 - __ehdr_start);
}

bool module_data(const void* address) {
  static const Range range = own_data();
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return range.from <= at && at < range.to;
}

}  // namespace gemmlab::emulation
