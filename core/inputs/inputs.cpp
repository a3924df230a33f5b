#include "core/inputs/inputs.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "core/element_type.h"

namespace gemmlab {

namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ull;
constexpr std::int64_t kPiece = 4096;  ///< elements that one thread fills at a time

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014; constants by Stafford): every bit of the argument
/// reaches every bit of the result.
inline std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

/// A stream of its own for each seed and operand.
inline std::uint64_t stream(std::uint64_t seed, Operand operand) {
  return mix(mix(seed + kGolden) + kGolden * static_cast<std::uint64_t>(operand));
}

inline std::uint64_t hash(std::uint64_t stream, std::int64_t index) {
  return mix(stream + kGolden * (static_cast<std::uint64_t>(index) + 1));
}

// Each value is a whole number of at most 24 bits times a power of two: exact in float, so alike on every
// platform.

inline float uniform(std::uint64_t bits) {
  return static_cast<float>(static_cast<std::int32_t>(bits >> 40) - (1 << 23)) * (1.0f / (1 << 23));
}

inline float nonnegative(std::uint64_t bits) {
  return static_cast<float>(static_cast<std::int32_t>(bits >> 40)) * (1.0f / (1 << 24));
}

/// Twelve variables of 21 bits, centred: |sum| <= 6·(2²¹ - 1) < 2²⁴, a multiple of 2⁻²¹.
inline float normal(std::uint64_t bits) {
  constexpr std::uint64_t kMask = (1u << 21) - 1;
  std::int32_t sum = -6 * static_cast<std::int32_t>(kMask);
  for (int draw = 0; draw < 4; ++draw) {
    const std::uint64_t word = mix(bits + kGolden * static_cast<std::uint64_t>(draw));
    sum += static_cast<std::int32_t>((word & kMask) + ((word >> 21) & kMask) + ((word >> 42) & kMask));
  }
  return static_cast<float>(sum) * (1.0f / (1 << 21));
}

inline float integer(std::uint64_t bits, std::int32_t limit) {
  const std::uint64_t values = 2 * static_cast<std::uint64_t>(limit);  // -limit..-1 and 1..limit
  const auto value = static_cast<std::int32_t>(((bits >> 32) * values) >> 32) - limit;
  return static_cast<float>(value + (value >= 0 ? 1 : 0));
}

/// 2^x for x twice a normal variable: a multiple of 2⁻²⁰, so that 1 + its fraction is exact.
inline float lognormal(std::uint64_t bits) {
  const float x = 2 * normal(bits);
  const float whole = std::floor(x);
  return std::ldexp(1 + (x - whole), static_cast<int>(whole));
}

constexpr std::uint64_t kRare = 1024;  ///< one in so many is an outlier, or not zero

inline bool rare(std::uint64_t bits) {
  return bits % kRare == 0;  // the lowest bits: none that uniform() takes
}

inline float outliers(std::uint64_t bits) {
  return uniform(bits) * (rare(bits) ? 1024.0f : 1.0f);
}

inline float sparse(std::uint64_t bits) {
  return rare(bits) ? uniform(bits) : 0;
}

/// [1, 1 + 2⁻⁷), a multiple of 2⁻²³.
inline float near_one(std::uint64_t bits) {
  return 1 + static_cast<float>(bits >> 48) * (1.0f / (1 << 23));
}

inline float relu(std::uint64_t bits) {
  return std::max(normal(bits), 0.0f);
}

inline float bfloat16(std::uint64_t bits) {
  return rounded(ElementType::kBfloat16, normal(bits));
}

constexpr std::int64_t kCancelled = 512;

template <typename Value>
inline void fill_with(float* values, std::uint64_t stream, std::int64_t first, std::int64_t count,
                      Value&& value) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = value(hash(stream, first + i));
}

}  // namespace

constexpr const char* kNames[] = {"uniform",  "normal", "integer",    "nonnegative", "lognormal",
                                  "outliers", "sparse", "cancelling", "relu",        "bfloat16"};

const char* to_string(Distribution distribution) {
  const auto place = static_cast<std::size_t>(distribution);
  if (place < std::size(kNames)) return kNames[place];
  throw std::invalid_argument("not a distribution: " + std::to_string(place));
}

std::vector<std::string> distribution_names() {
  return {std::begin(kNames), std::end(kNames)};
}

Distribution distribution_from(const std::string& name) {
  std::string allowed;
  for (std::size_t place = 0; place < std::size(kNames); ++place) {
    if (name == kNames[place]) return static_cast<Distribution>(place);
    allowed += std::string(place == 0 ? "" : ", ") + kNames[place];
  }
  throw std::invalid_argument("unknown distribution '" + name + "'; allowed: " + allowed);
}

bool certifies(Distribution distribution) {
  return distribution == Distribution::kUniform || distribution == Distribution::kNormal ||
         distribution == Distribution::kInteger;
}

std::int32_t integer_limit(std::int64_t k) {
  std::int32_t limit = 15;
  while (limit > 1 && k > ((1 << 24) - 1) / (limit * limit)) --limit;
  return limit;
}

void fill_range(float* values, std::int64_t first, std::int64_t count, Distribution distribution,
                std::uint64_t seed, Operand operand, std::int32_t limit) {
  const std::uint64_t key = stream(seed, operand);
  switch (distribution) {
    case Distribution::kUniform:
      return fill_with(values, key, first, count, [](std::uint64_t bits) { return uniform(bits); });
    case Distribution::kNormal:
      return fill_with(values, key, first, count, [](std::uint64_t bits) { return normal(bits); });
    case Distribution::kInteger:
      return fill_with(values, key, first, count,
                       [limit](std::uint64_t bits) { return integer(bits, limit); });
    case Distribution::kNonnegative:
      return fill_with(values, key, first, count, [](std::uint64_t bits) { return nonnegative(bits); });
    case Distribution::kLognormal:
      return fill_with(values, key, first, count, [](std::uint64_t bits) { return lognormal(bits); });
    case Distribution::kOutliers:
      return fill_with(values, key, first, count, [](std::uint64_t bits) { return outliers(bits); });
    case Distribution::kSparse:
      if (operand == Operand::kB) return fill_with(values, key, first, count, uniform);
      return fill_with(values, key, first, count, [](std::uint64_t bits) { return sparse(bits); });
    case Distribution::kCancelling:
      if (operand == Operand::kB) return fill_with(values, key, first, count, near_one);
      for (std::int64_t i = first; i < first + count; ++i) {
        const float value = uniform(hash(key, i & ~kCancelled));
        values[i - first] = i & kCancelled ? -value : value;
      }
      return;
    case Distribution::kRelu:
      return fill_with(values, key, first, count, relu);
    case Distribution::kBfloat16:
      return fill_with(values, key, first, count, bfloat16);
  }
}

std::uint64_t hashed(std::uint64_t seed, std::uint32_t stream_number, std::int64_t index) {
  return hash(stream(seed, static_cast<Operand>(stream_number)), index);
}

float element(Distribution distribution, std::uint64_t seed, Operand operand, std::int64_t index,
              std::int32_t limit) {
  float value = 0;
  fill_range(&value, index, 1, distribution, seed, operand, limit);
  return value;
}

void fill(float* values, std::int64_t rows, std::int64_t cols, Distribution distribution, std::uint64_t seed,
          Operand operand, std::int64_t rotate, std::int32_t limit) {
  const std::int64_t count = rows * cols;
  if (count == 0) return;
  // A rotation by rows is a rotation of the flat array; `wrap` is where the base's first element goes.
  const std::int64_t wrap = count - (rotate % rows + rows) % rows * cols;
  const std::int64_t pieces = (count + kPiece - 1) / kPiece;
#pragma omp parallel for schedule(static) if (pieces > 4)
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    const std::int64_t begin = piece * kPiece;
    const std::int64_t end = std::min(count, begin + kPiece);
    const std::int64_t cut = std::clamp(wrap, begin, end);
    fill_range(values + begin, begin + count - wrap, cut - begin, distribution, seed, operand, limit);
    fill_range(values + cut, cut - wrap, end - cut, distribution, seed, operand, limit);
  }
}

}  // namespace gemmlab
