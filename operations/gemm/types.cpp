#include "operations/gemm/types.h"

#include <algorithm>

namespace gemmlab {
namespace {

/// What a drawn value is multiplied by before it becomes an int8.
float int8_scale(Distribution distribution) {
  switch (distribution) {
    case Distribution::kInteger:
      return 1;
    case Distribution::kNormal:
    case Distribution::kLognormal:
    case Distribution::kOutliers:
      return 127.0f / 4;
    default:
      return 127;
  }
}

}  // namespace

std::string describe(const GemmTypes& types) {
  const std::string of_inputs = to_string(types.type);
  return types.result == types.type ? of_inputs : of_inputs + " to " + to_string(types.result);
}

void draw(float* values, std::int64_t first, std::int64_t count, ElementType type, Distribution distribution,
          std::uint64_t seed, Operand operand, std::int32_t limit) {
  fill_range(values, first, count, distribution, seed, operand, limit);
  if (type == ElementType::kInt8) {
    const float scale = int8_scale(distribution);
    for (std::int64_t i = 0; i < count; ++i) values[i] *= scale;
  }
  round_all(type, values, count);
}

float drawn(ElementType type, Distribution distribution, std::uint64_t seed, Operand operand,
            std::int64_t index, std::int32_t limit) {
  float value = 0;
  draw(&value, index, 1, type, distribution, seed, operand, limit);
  return value;
}

std::int32_t integer_limit(const GemmTypes& types, Distribution distribution, std::int32_t of_form) {
  if (types.type == ElementType::kInt8 && distribution != Distribution::kInteger) return 127;
  const std::int64_t whole = largest_whole(types.type);
  // below the largest, whose neighbour above is none
  return static_cast<std::int32_t>(std::min<std::int64_t>(of_form, std::max<std::int64_t>(1, whole - 1)));
}

}  // namespace gemmlab
