#pragma once

// The border between two orders of dimensions. The signature that students are given, solve(A, B, C, M, N, K), has A as M×N,
// B as N×K and C as M×K: rows, inner, columns. The suite, as BLAS, has A as M×K, B as K×N and C as M×N, in the order rows,
// columns, inner. The judge computes with the suite's; all that students and teachers read or write is in solve's. Where a rule gives
// solve the suite's order, in_order() of solve_form.h puts the judge's texts into it.

#include <array>
#include <cstdint>
#include <string>

#include "operations/gemm/shape.h"

namespace gemmlab::submissions {

/// solve's M, N and K.
using SolveSizes = std::array<std::int64_t, 3>;

inline Shape shape_of(const SolveSizes& sizes) {
  Shape shape;
  shape.m = sizes[0];
  shape.k = sizes[1];
  shape.n = sizes[2];
  return shape;
}

/// `inner_k`: of a rule by which solve's order is the suite's.
inline SolveSizes solve_sizes(const Shape& shape, bool inner_k = false) {
  if (inner_k) return {shape.m, shape.n, shape.k};
  return {shape.m, shape.k, shape.n};
}

/// "M = 3, N = 5, K = 7": 3 rows, an inner dimension of 5, 7 columns.
std::string in_students_words(const Shape& shape);

}  // namespace gemmlab::submissions
