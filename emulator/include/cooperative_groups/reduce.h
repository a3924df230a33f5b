#pragma once

// Reductions over the threads of a group.

#include "../cooperative_groups.h"

namespace cooperative_groups {

#define GEMMLAB_OPERATION(name, expression)                            \
  template <typename T>                                                \
  struct name {                                                        \
    GEMMLAB_DEVICE T operator()(T x, T y) const { return expression; } \
  };
GEMMLAB_OPERATION(plus, x + y)
GEMMLAB_OPERATION(less, y < x ? y : x)
GEMMLAB_OPERATION(greater, x < y ? y : x)
GEMMLAB_OPERATION(bit_and, x& y)
GEMMLAB_OPERATION(bit_or, x | y)
GEMMLAB_OPERATION(bit_xor, x ^ y)
#undef GEMMLAB_OPERATION

/// What the operation makes of the values of all threads of the tile; each of them gets it.
template <unsigned SIZE, typename Parent, typename T, typename Operation>
GEMMLAB_DEVICE T reduce(const thread_block_tile<SIZE, Parent>& tile, T value, Operation operation) {
  for (unsigned distance = SIZE / 2; distance > 0; distance /= 2) {
    value = operation(value, tile.shfl_xor(value, distance));
  }
  return value;
}
template <typename T, typename Operation>
GEMMLAB_DEVICE T reduce(const coalesced_group& group, T value, Operation operation) {
  T result = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.size(); ++rank) result = operation(result, group.shfl(value, rank));
  return result;
}

}  // namespace cooperative_groups
