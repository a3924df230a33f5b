#pragma once

// Fills matrices that lie as BLAS allows, and checks what lies between their rows.

#include <cstdint>

#include "core/inputs/inputs.h"
#include "operations/gemm/form.h"

namespace gemmlab {

/// What fills a matrix of gemm: see fill() in core/inputs/inputs.h.
struct MatrixValues {
  Distribution distribution = Distribution::kUniform;
  std::uint64_t seed = 1;
  Operand operand = Operand::kA;
  std::int32_t limit = 0;
  std::int64_t rotate = 0;  ///< row r of the matrix is row (r + rotate) mod rows of the base
};

/// Fills span(stored) floats: a (rows, cols) matrix row-major, or its transpose where `transposed`, with all
/// bits set (a NaN) between the rows. `stored` is as it lies.
void fill_stored(float* to, const StoredMatrix& stored, bool transposed, const MatrixValues& values);

/// The first float between the rows whose bits are not all set, counted from the first element; -1 where
/// there is none.
std::int64_t first_written_between_rows(const float* matrix, const StoredMatrix& stored);

}  // namespace gemmlab
