#pragma once

// Which block computes what: the first `whole` tiles of C have a block each; the steps of K of the tiles
// behind them are shared out evenly among `split_blocks` blocks, as one long row (stream-K, Osama et al.
// 2023). Where whole = 0 that is a split of K. All of it is arithmetic on the block's number, so every run
// adds in one order.

#include <cuda_runtime.h>

namespace gemmlab::gpu {

#ifdef __CUDACC__
#define GEMMLAB_BOTH __host__ __device__
#else
#define GEMMLAB_BOTH
#endif

struct Schedule {
  int tiles_down = 0;
  int tiles_across = 0;
  int group = 1;         ///< rows of tiles that are walked together, column by column, for the sake of the L2
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

struct TilePlace {
  int row;  ///< counted in tiles
  int col;
};

GEMMLAB_BOTH inline TilePlace place_of(const Schedule& schedule, unsigned tile) {
  const unsigned in_group = static_cast<unsigned>(schedule.group) * schedule.tiles_across;
  const unsigned first_row = tile / in_group * schedule.group;
  const unsigned rows_left = schedule.tiles_down - first_row;
  const unsigned rows = rows_left < static_cast<unsigned>(schedule.group) ? rows_left : schedule.group;
  const unsigned within = tile % in_group;
  return {static_cast<int>(first_row + within % rows), static_cast<int>(within / rows)};
}

/// Where a split block puts the sums of a tile that it does not compute alone. It has at most one such tile
/// that it begins at k = 0 (its last) and one that it does not (its first).
GEMMLAB_BOTH inline unsigned partial_slot(unsigned block, bool from_start) {
  return 2 * block + (from_start ? 1 : 0);
}

}  // namespace gemmlab::gpu
