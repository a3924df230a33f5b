#pragma once

// The shapes at which hand-ins are checked.

#include <cstdint>
#include <vector>

#include "operations/gemm/shape.h"

namespace gemmlab::submissions {

/// The shapes that every submission is checked at, easiest first: squares and rectangles of whole tiles, then
/// one over and one under, ones, primes, an inner dimension of 24, larger ones, thin ones of up to 70,000.
std::vector<Shape> fixed_shapes();

/// `count` shapes with sides from 1 to 300, small ones as likely as large ones.
std::vector<Shape> random_shapes(int count, std::uint64_t seed);

/// The same with the shorter of rows and columns, and the inner dimension, cut where an emulation would take seconds: the
/// emulator takes one for some twenty million accesses. What is beyond a whole tile of 32 stays; so does the longest of rows
/// and columns, and a lone long side. Of those with a side over 10,000 what has other long sides is left out, and the rest last.
std::vector<Shape> shapes_to_emulate(std::vector<Shape> shapes);

}  // namespace gemmlab::submissions
