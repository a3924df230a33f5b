#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/gemm/shape.h"

namespace gemmlab::submissions {

/// The shapes that every submission is checked at, easiest first: squares and rectangles of whole tiles, then
/// one over and one under, ones, primes, an inner dimension of 24, larger ones, thin ones of up to 70,000.
std::vector<Shape> fixed_shapes();

/// `count` shapes with sides from 1 to 300, small ones as likely as large ones.
std::vector<Shape> random_shapes(int count, std::uint64_t seed);

/// The same without sides over 5,000, and with a shorter inner dimension where there are over 2.2 million products: the emulator takes a second
/// for some twenty million accesses. Rows and columns stay, and with them the grid; odd stays odd.
std::vector<Shape> shapes_to_emulate(std::vector<Shape> shapes);

/// "M = 3, N = 5, K = 7" in a submission's words: A is M×N, B is N×K, C is M×K, so N is the inner dimension.
std::string in_students_words(const Shape& shape);

}  // namespace gemmlab::submissions
