#pragma once

// Products of which nothing is worth copying, in strips of C that are as wide as registers allow.

#include "cpu/gemm/packed/slice.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

/// Can a slice be computed in strips? Not where C is read, where A or B is transposed, where more terms than
/// kMostTermsOfStrips lie far apart, nor by an isa without masks.
bool takes_strips(const Product& p, const Slice& s);

/// The slice, with A, B and C where they lie.
void multiply_strips(const Product& p, const Slice& s);

/// How a product of so many rows and columns is cut: those of a tile.
struct Tiling {
  std::int64_t rows;
  std::int64_t cols;
};
Tiling tiling_of(std::int64_t rows, std::int64_t cols);

/// The function that computes the whole product on one thread: for a single strip the strip's own, with
/// nothing left to decide.
Kernel whole_in_strips(const Product& p);

}  // namespace GEMMLAB_KERNEL_NAMESPACE
