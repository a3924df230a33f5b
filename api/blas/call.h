#pragma once

// A call of a BLAS function in this project's words, whichever function it was.

#include <cstdint>
#include <string>
#include <utility>

#include "api/handle.h"

namespace gemmlab::blas {

enum class Side { kHost, kDevice };

struct Call {
  const char* function;  ///< "cblas_sgemm"
  Side side;             ///< where A, B and C lie
  api::Product product;  ///< row-major
  void* stream = nullptr;
};

/// A column-major matrix is the transpose of a row-major one: Cᵀ = op(B)ᵀ·op(A)ᵀ, and nothing is moved. `p` is
/// C = alpha·op(A)·op(B) + beta·C, column-major, as BLAS has it; a bias, which is then added to each column of C,
/// stays where it is.
inline api::Product row_major(api::Product p) {
  std::swap(p.shape.m, p.shape.n);
  std::swap(p.form.transpose_a, p.form.transpose_b);
  std::swap(p.form.lda, p.form.ldb);
  std::swap(p.a, p.b);
  std::swap(p.stride_a, p.stride_b);
  return p;
}

}  // namespace gemmlab::blas
