#include "core/element_type.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace gemmlab {
namespace {

constexpr int kFloatFraction = 23;
constexpr int kFloatBias = 127;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

constexpr std::uint32_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
constexpr float float_of(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}
/// In the normal range of float32.
constexpr float power_of_two(int exponent) {
  return float_of(static_cast<std::uint32_t>(exponent + kFloatBias) << kFloatFraction);
}

/// A binary floating-point format of at most 16 bits, and how it ends.
struct Format {
  int exponent_bits;
  int fraction_bits;
  bool infinite;  ///< the largest exponent is that of infinity and NaN; else only all ones are a NaN

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int least_exponent() const { return 1 - bias(); }
  float largest() const {
    const int exponent = (1 << exponent_bits) - 1 - bias() - (infinite ? 1 : 0);
    const float taken = infinite ? 1 : 2;  // of the last fractions of that exponent, where the last is a NaN
    return (2.0f - taken * power_of_two(-fraction_bits)) * power_of_two(exponent);
  }
};

struct Row {
  const char* name;
  std::size_t bytes;
  bool integer;
  Format format;  ///< of floats but float32
};

constexpr Row kRows[] = {{"float32", 4, false, {8, 23, true}},
                         {"int32", 4, true, {}},
                         {"int64", 8, true, {}},
                         {"bfloat16", 2, false, {8, 7, true}},
                         {"float16", 2, false, {5, 10, true}},
                         {"float8_e4m3", 1, false, {4, 3, false}},
                         {"float8_e5m2", 1, false, {5, 2, true}},
                         {"int8", 1, true, {}}};

const Row& row(ElementType type) {
  return kRows[static_cast<std::size_t>(type)];
}

constexpr float kLargestInt8 = 127;

/// To the nearest value of the format, ties to even. In the normal range by a carry into the kept bits of
/// float32; below it by adding a number whose last bit is the format's step, which the processor rounds at.
float to_format(const Format& format, float value) {
  if (std::isnan(value)) return value;
  const int shift = kFloatFraction - format.fraction_bits;
  const float size = std::abs(value);
  float nearest = 0;
  if (size < power_of_two(format.least_exponent())) {
    const float step = power_of_two(format.least_exponent() + shift);
    nearest = (size + step) - step;
  } else {
    const std::uint32_t bits = bits_of(size);
    const std::uint32_t carried = bits + ((1U << (shift - 1)) - 1) + (bits >> shift & 1U);
    nearest = float_of(carried >> shift << shift);
  }
  if (!(nearest <= format.largest())) nearest = format.infinite ? kInfinity : format.largest();
  return std::copysign(nearest, value);
}

/// Of a value of the format.
std::uint16_t bits_in(const Format& format, float value) {
  const auto sign = static_cast<unsigned>(std::signbit(value))
                    << (format.exponent_bits + format.fraction_bits);
  const unsigned ones = (1U << format.exponent_bits) - 1;
  const unsigned fractions = (1U << format.fraction_bits) - 1;
  const float size = std::abs(value);
  unsigned bits = 0;
  if (std::isnan(value)) {
    bits = ones << format.fraction_bits | fractions;
  } else if (size == kInfinity) {
    bits = ones << format.fraction_bits;
  } else if (size < power_of_two(format.least_exponent())) {
    bits = static_cast<unsigned>(size * power_of_two(format.fraction_bits - format.least_exponent()));
  } else {
    const int behind = (kFloatBias - format.bias()) << format.fraction_bits;
    bits = (bits_of(size) >> (kFloatFraction - format.fraction_bits)) - static_cast<unsigned>(behind);
  }
  return static_cast<std::uint16_t>(sign | bits);
}

float value_of(const Format& format, unsigned bits) {
  const unsigned ones = (1U << format.exponent_bits) - 1;
  const unsigned all_fractions = (1U << format.fraction_bits) - 1;
  const unsigned fraction = bits & all_fractions;
  const unsigned exponent = bits >> format.fraction_bits & ones;
  const float sign = (bits >> (format.exponent_bits + format.fraction_bits) & 1U) != 0 ? -1.0f : 1.0f;
  if (exponent == ones && format.infinite)
    return fraction != 0 ? std::numeric_limits<float>::quiet_NaN() : sign * kInfinity;
  if (exponent == ones && fraction == all_fractions) return std::numeric_limits<float>::quiet_NaN();
  const auto steps = static_cast<float>(exponent == 0 ? fraction : fraction + all_fractions + 1);
  const int scale = exponent == 0 ? format.least_exponent() : static_cast<int>(exponent) - format.bias();
  return sign * steps * power_of_two(scale - format.fraction_bits);
}

/// bfloat16 is float32 without its last 16 bits: the type that matrices of gigabytes are made of, quickly.
std::uint16_t bfloat16_bits(float value) {
  const std::uint32_t bits = bits_of(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x7fU);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

float bfloat16_value(std::uint16_t high) {
  return float_of(std::uint32_t{high} << 16);
}

float to_int8(float value) {
  return std::isnan(value) ? 0 : std::clamp(std::nearbyint(value), -kLargestInt8, kLargestInt8);
}

template <typename T, typename Make>
void each(const float* from, std::int64_t count, void* to, Make&& make) {
  T* out = static_cast<T*>(to);
  for (std::int64_t i = 0; i < count; ++i) out[i] = make(from[i]);
}

template <typename T, typename Make>
void each_float(const void* from, std::int64_t count, float* to, Make&& make) {
  const T* in = static_cast<const T*>(from);
  for (std::int64_t i = 0; i < count; ++i) to[i] = make(in[i]);
}

}  // namespace

const char* to_string(ElementType type) {
  return row(type).name;
}

ElementType element_type_from(const std::string& name) {
  std::string allowed;
  for (std::size_t place = 0; place < std::size(kRows); ++place) {
    if (name == kRows[place].name) return static_cast<ElementType>(place);
    allowed += std::string(place == 0 ? "" : ", ") + kRows[place].name;
  }
  throw std::invalid_argument("unknown type of elements '" + name + "'; allowed: " + allowed);
}

std::size_t bytes_of(ElementType type) {
  return row(type).bytes;
}

bool is_integer(ElementType type) {
  return row(type).integer;
}

bool is_float8(ElementType type) {
  return type == ElementType::kFloat8E4m3 || type == ElementType::kFloat8E5m2;
}

double unit_roundoff(ElementType type) {
  return is_integer(type) ? 0 : std::ldexp(1.0, -row(type).format.fraction_bits - 1);
}

double least_roundoff(ElementType type) {
  const Format& format = row(type).format;
  return is_integer(type) ? 0 : std::ldexp(1.0, format.least_exponent() - format.fraction_bits - 1);
}

double largest_value(ElementType type) {
  return is_integer(type) ? static_cast<double>(largest_whole(type)) : row(type).format.largest();
}

std::int64_t largest_whole(ElementType type) {
  if (type == ElementType::kInt8) return static_cast<std::int64_t>(kLargestInt8);
  if (is_integer(type)) return std::numeric_limits<std::int32_t>::max();
  return std::int64_t{1} << (row(type).format.fraction_bits + 1);
}

float rounded(ElementType type, float value) {
  switch (type) {
    case ElementType::kFloat32:
    case ElementType::kInt32:
    case ElementType::kInt64:
      return value;
    case ElementType::kBfloat16:
      return bfloat16_value(bfloat16_bits(value));
    case ElementType::kInt8:
      return to_int8(value);
    default:
      return to_format(row(type).format, value);
  }
}

void round_all(ElementType type, float* values, std::int64_t count) {
  if (type == ElementType::kFloat32) return;
  for (std::int64_t i = 0; i < count; ++i) values[i] = rounded(type, values[i]);
}

void narrow(ElementType type, const float* from, std::int64_t count, void* to) {
  const Format& format = row(type).format;
  switch (type) {
    case ElementType::kFloat32:
      return each<float>(from, count, to, [](float value) { return value; });
    case ElementType::kInt32:
      return each<std::int32_t>(from, count, to,
                                [](float value) { return static_cast<std::int32_t>(value); });
    case ElementType::kInt64:
      return each<std::int64_t>(from, count, to,
                                [](float value) { return static_cast<std::int64_t>(value); });
    case ElementType::kBfloat16:
      return each<std::uint16_t>(from, count, to, bfloat16_bits);
    case ElementType::kFloat16:
      return each<std::uint16_t>(from, count, to,
                                 [&](float value) { return bits_in(format, to_format(format, value)); });
    case ElementType::kFloat8E4m3:
    case ElementType::kFloat8E5m2:
      return each<std::uint8_t>(from, count, to, [&](float value) {
        return static_cast<std::uint8_t>(bits_in(format, to_format(format, value)));
      });
    case ElementType::kInt8:
      return each<std::int8_t>(from, count, to,
                               [](float value) { return static_cast<std::int8_t>(to_int8(value)); });
  }
}

void widen(ElementType type, const void* from, std::int64_t count, float* to) {
  const Format& format = row(type).format;
  const auto whole = [](auto value) { return static_cast<float>(value); };
  switch (type) {
    case ElementType::kFloat32:
      return each_float<float>(from, count, to, whole);
    case ElementType::kInt32:
      return each_float<std::int32_t>(from, count, to, whole);
    case ElementType::kInt64:
      return each_float<std::int64_t>(from, count, to, whole);
    case ElementType::kBfloat16:
      return each_float<std::uint16_t>(from, count, to, bfloat16_value);
    case ElementType::kFloat16:
      return each_float<std::uint16_t>(from, count, to,
                                       [&](unsigned bits) { return value_of(format, bits); });
    case ElementType::kFloat8E4m3:
    case ElementType::kFloat8E5m2:
      return each_float<std::uint8_t>(from, count, to, [&](unsigned bits) { return value_of(format, bits); });
    case ElementType::kInt8:
      return each_float<std::int8_t>(from, count, to, whole);
  }
}

}  // namespace gemmlab
