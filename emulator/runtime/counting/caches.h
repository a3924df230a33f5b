#pragma once

// The way of a sector: L1 of an SM, L2, DRAM. Sets of lines of 128 bytes with four sectors, the least recently used goes.

#include <cstdint>
#include <vector>

namespace gemmlab::emulation {

class Cache {
 public:
  Cache(std::uint64_t bytes, int ways);
  /// Sectors of `wanted` (one bit each) that were not there; they are from now on. `evicted_dirty`: sectors that had to be
  /// written back for it.
  unsigned touch(std::uint64_t line, unsigned wanted, bool dirty, unsigned& evicted_dirty);

 private:
  struct Line {
    std::uint64_t tag = ~std::uint64_t{0};
    std::uint64_t used = 0;
    std::uint8_t valid = 0, dirty = 0;
  };
  Line* find(std::uint64_t line);
  std::uint64_t sets_;
  int ways_;
  std::uint64_t now_ = 0;
  std::vector<Line> lines_;
};

/// What a request moved beyond each level.
struct Moved {
  unsigned l1_misses = 0;  ///< sectors
  unsigned l2_misses = 0;
  unsigned written_back = 0;
};

class Caches {
 public:
  /// `l1_bytes` of each SM: what shared memory leaves.
  explicit Caches(std::uint64_t l1_bytes);
  Moved load(int sm, std::uint64_t line, unsigned sectors);
  Moved load_past_l1(std::uint64_t line, unsigned sectors);  ///< as TMA does
  /// Goes through to the L2, which keeps what was written, also of a part of a sector, until the line must go.
  Moved store(std::uint64_t line, unsigned sectors);

 private:
  std::vector<Cache> l1_;
  Cache l2_;
};

}  // namespace gemmlab::emulation
