#pragma once

// The types of an operand's elements: what they are called, how wide and how fine they are, and how a value
// becomes one. Read by .cu files: C++17 only.

#include <cstddef>
#include <cstdint>
#include <string>

namespace gemmlab {

enum class ElementType {
  kFloat32,
  kInt32,
  kInt64,
  kBfloat16,    ///< 8 bits of exponent, 7 of fraction
  kFloat16,     ///< IEEE 754 binary16: 5 and 10
  kFloat8E4m3,  ///< 4 and 3, no infinity; largest 448 (OCP 8-bit floating point, 2023)
  kFloat8E5m2,  ///< 5 and 2, with infinities; largest finite 57344
  kInt8
};

const char* to_string(ElementType type);  ///< "bfloat16", "float8_e4m3", "int8", …
ElementType element_type_from(
    const std::string& name);  ///< throws std::invalid_argument naming what is allowed
std::size_t bytes_of(ElementType type);
bool is_integer(ElementType type);
bool is_float8(ElementType type);

/// Half the distance from 1 to the next value: what rounding changes of a value, relative to it. 0 of integers.
double unit_roundoff(ElementType type);
/// Half the smallest distance of two values: what rounding changes at least. 0 of integers.
double least_roundoff(ElementType type);
/// The largest finite value.
double largest_value(ElementType type);
/// The largest whole number below which all whole numbers are values.
std::int64_t largest_whole(ElementType type);

/// The value that `value` is rounded to, to nearest, ties to even: of int8 and float8_e4m3, which have no
/// infinity, the largest one where it is beyond (hardware's saturating conversion); of float8_e5m2, float16 and
/// bfloat16 infinity. NaN stays one, of integers 0.
float rounded(ElementType type, float value);

/// Rounds `count` values in place.
void round_all(ElementType type, float* values, std::int64_t count);
/// Writes `count` floats as elements of the type, each rounded.
void narrow(ElementType type, const float* from, std::int64_t count, void* to);
/// Reads elements as floats, which hold each exactly but those of int32 and int64 beyond 2^24.
void widen(ElementType type, const void* from, std::int64_t count, float* to);

}  // namespace gemmlab
