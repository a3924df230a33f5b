#pragma once

// A call of a BLAS function in this project's words, whichever function it was.

#include <cstdint>
#include <string>

#include "api/handle.h"

namespace gemmlab::blas {

enum class Side { kHost, kDevice };

struct Call {
  const char* function;  ///< "cblas_sgemm"
  Side side;             ///< where A, B and C lie
  api::Product product;  ///< row-major
  void* stream = nullptr;
};

/// C = alpha·op(A)·op(B) + beta·C, column-major, as BLAS has it.
struct ColumnMajor {
  bool transpose_a;
  bool transpose_b;
  Shape shape;
  float alpha;
  const float* a;
  std::int64_t lda;
  const float* b;
  std::int64_t ldb;
  float beta;
  float* c;
  std::int64_t ldc;
};
/// A column-major matrix is the transpose of a row-major one: Cᵀ = op(B)ᵀ·op(A)ᵀ, and nothing is moved.
inline api::Product row_major(const ColumnMajor& p) {
  return {{p.shape.n, p.shape.m, p.shape.k},
          {p.transpose_b, p.transpose_a, p.alpha, p.beta, p.ldb, p.lda, p.ldc},
          p.b,
          p.a,
          p.c};
}

}  // namespace gemmlab::blas
