#include "emulator/runtime/counting/caches.h"

#include <algorithm>

#include "emulator/runtime/limits.h"

namespace gemmlab::emulation {
namespace {

constexpr std::uint64_t kLine = 128;
constexpr int kL1Ways = 16, kL2Ways = 16;

unsigned count(unsigned bits) {
  return static_cast<unsigned>(__builtin_popcount(bits));
}

}  // namespace

Cache::Cache(std::uint64_t bytes, int ways)
    : sets_(std::max<std::uint64_t>(1, bytes / kLine / static_cast<std::uint64_t>(ways))),
      ways_(ways),
      lines_(sets_ * static_cast<std::uint64_t>(ways)) {}

Cache::Line* Cache::find(std::uint64_t line) {
  // all bits mixed: rows of a power of two must not fall into a few sets
  const std::uint64_t mixed = line * 0x9E3779B97F4A7C15u >> 24;
  return &lines_[mixed % sets_ * static_cast<std::uint64_t>(ways_)];
}

unsigned Cache::touch(std::uint64_t line, unsigned wanted, bool dirty, unsigned& evicted_dirty) {
  Line* set = find(line);
  Line* oldest = set;
  ++now_;
  for (int way = 0; way < ways_; ++way) {
    if (set[way].tag == line) {
      const unsigned missing = wanted & ~static_cast<unsigned>(set[way].valid);
      set[way].valid = static_cast<std::uint8_t>(set[way].valid | wanted);
      if (dirty) set[way].dirty = static_cast<std::uint8_t>(set[way].dirty | wanted);
      set[way].used = now_;
      return count(missing);
    }
    if (set[way].used < oldest->used) oldest = &set[way];
  }
  evicted_dirty += count(oldest->dirty);
  *oldest = {line, now_, static_cast<std::uint8_t>(wanted), static_cast<std::uint8_t>(dirty ? wanted : 0)};
  return count(wanted);
}

Caches::Caches(std::uint64_t l1_bytes) : l1_(kSmCount, Cache(l1_bytes, kL1Ways)), l2_(kL2Bytes, kL2Ways) {}

Moved Caches::load(int sm, std::uint64_t line, unsigned sectors) {
  Moved moved;
  unsigned none = 0;
  moved.l1_misses = l1_[static_cast<std::size_t>(sm)].touch(line, sectors, false, none);
  if (moved.l1_misses > 0) moved.l2_misses = l2_.touch(line, sectors, false, moved.written_back);
  return moved;
}

Moved Caches::load_past_l1(std::uint64_t line, unsigned sectors) {
  Moved moved;
  moved.l2_misses = l2_.touch(line, sectors, false, moved.written_back);
  return moved;
}

Moved Caches::store(std::uint64_t line, unsigned sectors) {
  Moved moved;
  l2_.touch(line, sectors, true, moved.written_back);
  return moved;
}

}  // namespace gemmlab::emulation
