#pragma once

// The order in which blocks take the tiles of C. For .cu and .cpp files.

#include <cuda_runtime.h>

namespace gemmlab::gpu {

#ifdef __CUDACC__
#define GEMMLAB_BOTH __host__ __device__
#else
#define GEMMLAB_BOTH
#endif

struct TilePlace {
  int row;  ///< counted in tiles
  int col;
};

/// The place of the `tile`th of down×across tiles: `group` rows of tiles are walked together, column
/// by column, so that what the tiles in flight share of A and B stays in the L2. `Whole`: the type
/// to compute in.
template <typename Whole>
GEMMLAB_BOTH inline TilePlace grouped_place(Whole tile, Whole group, Whole down, Whole across) {
  const Whole in_group = group * across;
  const Whole first_row = tile / in_group * group;
  const Whole rows_left = down - first_row;
  const Whole rows = rows_left < group ? rows_left : group;
  const Whole within = tile % in_group;
  return {static_cast<int>(first_row + within % rows), static_cast<int>(within / rows)};
}

}  // namespace gemmlab::gpu
