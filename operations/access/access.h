#pragma once

// What operation and implementations of `access` both have to know.

#include "operations/described_operation.h"

namespace gemmlab {

const Operation& access();

namespace accessing {

enum Place : std::size_t { kValues, kTotal };  ///< of the operands

/// Elements offset, offset + stride, ..., `n` of them, read `passes` times over.
struct Pattern {
  std::int64_t n;
  std::int64_t offset;
  std::int64_t stride;
  std::int64_t passes;
};

Pattern pattern_of(const Instance& instance);

/// Why loads of `width` bytes cannot read the pattern; empty where they can. `aligned`: must each lie at a
/// multiple of its width?
std::string why_not_width(const Pattern& pattern, std::int64_t width, bool aligned);

}  // namespace accessing
}  // namespace gemmlab
