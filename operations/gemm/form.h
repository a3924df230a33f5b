#pragma once

// What BLAS' gemm computes beside the plain product, and how its matrices lie. Read by .cu files and by
// kernels that are compiled once per isa: C++17, and no code in this header.

#include <cstdint>
#include <string>

#include "operations/gemm/shape.h"

namespace gemmlab {

/// C = alpha·op(A)·op(B) + beta·C, row-major float32. op(A) is (m, k), op(B) is (k, n), C is (m, n). A is
/// stored as (m, k), or as (k, m) where it is transposed; B as (k, n) or (n, k). Leading dimensions are the
/// floats between the starts of stored rows; what lies between the rows is neither read for the result nor
/// written. With beta = 0 C is not read, and with alpha = 0 neither A nor B is, as in the reference BLAS.
struct GemmForm {
  bool transpose_a = false;
  bool transpose_b = false;
  float alpha = 1;
  float beta = 0;
  std::int64_t lda = 0;
  std::int64_t ldb = 0;
  std::int64_t ldc = 0;
};

/// Rows and columns of a matrix as it is stored, and the floats between rows.
struct StoredMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t stride = 0;
};
StoredMatrix stored_a(const Shape& shape, const GemmForm& form);
StoredMatrix stored_b(const Shape& shape, const GemmForm& form);
StoredMatrix stored_c(const Shape& shape, const GemmForm& form);
/// Floats from the first to the last element; the last row need not be padded. 0 for a matrix without
/// elements.
std::int64_t span(const StoredMatrix& matrix);

/// The form with the least leading dimensions (at least 1) plus so many floats.
GemmForm form_of(const Shape& shape, bool transpose_a = false, bool transpose_b = false,
                 std::int64_t lda_extra = 0, std::int64_t ldb_extra = 0, std::int64_t ldc_extra = 0);

/// C = A·B with rows that follow one another?
bool is_plain(const Shape& shape, const GemmForm& form);
/// Is beta·C all that is left: alpha = 0, or a dimension of 0?
bool scales_only(const Shape& shape, const GemmForm& form);

/// Why these are no matrices of BLAS ("lda is 4, less than the 5 columns of A as it is stored"); empty where
/// they are.
std::string wrong_form(const Shape& shape, const GemmForm& form);
/// The largest magnitude of integer inputs for which every sum of products and beta·C is exact in float:
/// integer_limit(k) of a plain form.
std::int32_t integer_limit(const Shape& shape, const GemmForm& form);

/// "A transposed, alpha = 0.7, ldc = 40": what is not plain; empty for a plain form.
std::string describe(const Shape& shape, const GemmForm& form);

}  // namespace gemmlab
