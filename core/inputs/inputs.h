#pragma once

// Matrices that are the same on every platform and device: each element is a hash of (seed, matrix, index).

#include <cstdint>
#include <string>
#include <vector>

namespace gemmlab {

enum class Distribution {
  kUniform,
  kNormal,
  kInteger,
  kNonnegative,
  kLognormal,
  kOutliers,
  kSparse,
  kCancelling,
  kRelu,
  kBfloat16
};
const char* to_string(Distribution distribution);  // "uniform", "normal", ...: the names without k
std::vector<std::string> distribution_names();     ///< in the order above
/// Are elements independent and symmetric about zero, as the bounds of verify.h ask for to certify a product?
bool certifies(Distribution distribution);
Distribution distribution_from(
    const std::string& name);  ///< throws std::invalid_argument naming what is allowed

enum class Operand : std::uint32_t { kA = 1, kB = 2, kC = 3 };

/// The largest magnitude of integer inputs for an inner dimension k: at most 15, and k·limit² < 2²⁴ so that
/// every sum of products is exact in float whatever its order (1 where k alone reaches 2²⁴).
std::int32_t integer_limit(std::int64_t k);

/// Element `index` (row-major) of an operand.
///   uniform      [-1, 1), a multiple of 2⁻²³
///   normal       mean 0, variance 1: twelve uniform variables added (Irwin–Hall), so that no libm is asked
///   integer      nonzero, |x| <= limit
///   nonnegative  [0, 1)
///   lognormal    2^x with x of mean 0 and variance 4; between two whole x the power is taken linearly
///   outliers     uniform, but one in 1024 is 1024 times as large
///   sparse       A: uniform, but all save one in 1024 are zero; B: uniform
///   cancelling   A: uniform, every second 512 elements the negatives of the 512 before them; B: [1, 1 +
///   2⁻⁷).
///                Where K is a multiple of 1024, A·B is about 2⁻⁸ of |A||B|
///   relu         normal, but zero where that is negative: what a layer of a network hands on
///   bfloat16     normal, rounded to bfloat16: weights that were kept so
float element(Distribution distribution, std::uint64_t seed, Operand operand, std::int64_t index,
              std::int32_t limit);

/// `count` elements of the base matrix from `first` on, on the calling thread.
void fill_range(float* values, std::int64_t first, std::int64_t count, Distribution distribution,
                std::uint64_t seed, Operand operand, std::int32_t limit);

/// 64 random bits from (seed, stream, index), for generated values that are not elements. Streams 1 and 2
/// belong to the operands.
std::uint64_t hashed(std::uint64_t seed, std::uint32_t stream, std::int64_t index);

/// Fills rows×cols with elements, row r holding row (r + rotate) mod rows of the base matrix: set s of
/// rotated inputs is the base with A's rows rotated by s, so that one reference result serves every set. Uses
/// all threads.
void fill(float* values, std::int64_t rows, std::int64_t cols, Distribution distribution, std::uint64_t seed,
          Operand operand, std::int64_t rotate, std::int32_t limit);

}  // namespace gemmlab
