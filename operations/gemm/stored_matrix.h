#pragma once

// Fills matrices that lie as BLAS allows, and checks what lies between their rows.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/inputs/inputs.h"
#include "operations/gemm/form.h"
#include "operations/gemm/types.h"

namespace gemmlab {

/// What fills a matrix of gemm: see fill() in core/inputs/inputs.h, and draw() for other types than float32.
struct MatrixValues {
  Distribution distribution = Distribution::kUniform;
  std::uint64_t seed = 1;
  Operand operand = Operand::kA;
  std::int32_t limit = 0;
  std::int64_t rotate = 0;  ///< row r of the matrix is row (r + rotate) mod rows of the base
  ElementType type = ElementType::kFloat32;
};

/// Fills span(stored) elements: a (rows, cols) matrix row-major, or its transpose where `transposed`, with all
/// bits set (a NaN) between the rows. `stored` is as it lies.
void fill_stored(void* to, const StoredMatrix& stored, bool transposed, const MatrixValues& values);

/// The first element of so many bytes between the rows whose bits are not all set, counted from the first
/// element; -1 where there is none.
std::int64_t first_written_between_rows(const void* matrix, const StoredMatrix& stored, std::size_t bytes);

/// The matrix as floats, span(stored) of them.
std::vector<float> widened(ElementType type, const void* matrix, const StoredMatrix& stored);

}  // namespace gemmlab
