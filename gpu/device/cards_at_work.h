#pragma once

// How many cards a sample keeps busy, so that all of them are watched.

namespace gemmlab::gpu {

/// On how many cards, from the first on, what was launched or captured last runs. 1 before each sample; rows that use several
/// cards say so with each product. By one thread at a time, as work is launched.
inline int& cards_at_work() {
  static int cards = 1;
  return cards;
}

}  // namespace gemmlab::gpu
