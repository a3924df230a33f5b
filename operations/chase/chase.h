#pragma once

// What operation and implementations of `chase` both have to know.

#include <algorithm>

#include "operations/described_operation.h"

namespace gemmlab {

const Operation& chase();

namespace chasing {

enum Place : std::size_t { kNext, kAt };  ///< of the operands

/// Nodes on one cycle: node i, at byte i·spacing of the working set, leads to node next[i].
struct Ring {
  std::int64_t nodes;
  std::int64_t spacing;  ///< bytes from node to node
  std::int64_t loads;    ///< of one call, each of which needs the one before
};

inline Ring ring_of(const Instance& instance) {
  const std::int64_t spacing = integer_option(instance, "spacing");
  return {std::max<std::int64_t>(1, instance.dims.at(0) / spacing), spacing,
          integer_option(instance, "loads")};
}

}  // namespace chasing
}  // namespace gemmlab
