#pragma once

// Which block computes what: the first `whole` tiles of C have a block each; the steps of K of the tiles
// behind them are shared out evenly among `split_blocks` blocks, as one long row (stream-K, Osama et al.
// 2023). Where whole = 0 that is a split of K. All of it is arithmetic on the block's number, so every run
// adds in one order.

#include "gpu/gemm/tile_walk.h"

namespace gemmlab::gpu {

struct Schedule {
  int tiles_down = 0;
  int tiles_across = 0;
  int group = 1;         ///< rows of tiles that are walked together: see grouped_place
  int steps = 0;         ///< of K in a tile
  int whole = 0;         ///< tiles that one block computes alone
  int split_blocks = 0;  ///< blocks that share the other tiles

  GEMMLAB_BOTH unsigned tiles() const { return static_cast<unsigned>(tiles_down) * tiles_across; }
  GEMMLAB_BOTH unsigned blocks() const { return static_cast<unsigned>(whole) + split_blocks; }
  GEMMLAB_BOTH unsigned shared_tiles() const { return tiles() - whole; }
  /// Below 2³¹: whoever makes a Schedule sees to it.
  GEMMLAB_BOTH unsigned shared_steps() const { return shared_tiles() * steps; }

  /// The first of the shared steps that split block `block` takes; blocks differ by one step at most.
  GEMMLAB_BOTH unsigned first_step(unsigned block) const {
    const unsigned each = shared_steps() / split_blocks;
    const unsigned longer = shared_steps() % split_blocks;
    return block * each + (block < longer ? block : longer);
  }
  /// The split block that takes shared step `step`.
  GEMMLAB_BOTH unsigned block_of(unsigned step) const {
    const unsigned each = shared_steps() / split_blocks;
    const unsigned longer = shared_steps() % split_blocks;
    const unsigned in_longer = longer * (each + 1);
    return step < in_longer ? step / (each + 1) : longer + (step - in_longer) / each;
  }
};

GEMMLAB_BOTH inline TilePlace place_of(const Schedule& schedule, unsigned tile) {
  return grouped_place<unsigned>(tile, schedule.group, schedule.tiles_down, schedule.tiles_across);
}

/// Where a split block puts the sums of a tile that it does not compute alone. It has at most one such tile
/// that it begins at k = 0 (its last) and one that it does not (its first).
GEMMLAB_BOTH inline unsigned partial_slot(unsigned block, bool from_start) {
  return 2 * block + (from_start ? 1 : 0);
}

}  // namespace gemmlab::gpu
