#include "submissions/solve_shape.h"

#include <fmt/format.h>

namespace gemmlab::submissions {

std::string in_students_words(const Shape& shape) {
  const auto [M, N, K] = solve_sizes(shape);
  return fmt::format("M = {}, N = {}, K = {}", M, N, K);
}

}  // namespace gemmlab::submissions
