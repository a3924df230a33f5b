#include "operations/gemm/stored_matrix.h"

#include <algorithm>
#include <cstring>

#include "core/verification/verify_element.h"

namespace gemmlab {
namespace {

constexpr std::int64_t kRows = 16;      // that are transposed together: a line of the stored matrix
constexpr std::int64_t kColumns = 256;  // of them

/// Rows `first` to `first` + kRows of the matrix become columns of what is stored.
void fill_columns(float* to, const StoredMatrix& stored, std::int64_t first, const MatrixValues& values) {
  const std::int64_t rows = stored.cols;
  const std::int64_t cols = stored.rows;
  const std::int64_t height = std::min(kRows, rows - first);
  float strip[kRows][kColumns];
  for (std::int64_t col0 = 0; col0 < cols; col0 += kColumns) {
    const std::int64_t width = std::min(kColumns, cols - col0);
    for (std::int64_t i = 0; i < height; ++i) {
      const std::int64_t base = (first + i + values.rotate) % rows;
      fill_range(strip[i], base * cols + col0, width, values.distribution, values.seed, values.operand,
                 values.limit);
    }
    for (std::int64_t j = 0; j < width; ++j) {
      for (std::int64_t i = 0; i < height; ++i) to[(col0 + j) * stored.stride + first + i] = strip[i][j];
    }
  }
}

}  // namespace

void fill_stored(float* to, const StoredMatrix& stored, bool transposed, const MatrixValues& values) {
  if (!transposed && stored.stride == stored.cols) {
    return fill(to, stored.rows, stored.cols, values.distribution, values.seed, values.operand, values.rotate,
                values.limit);
  }
  if (stored.stride != stored.cols)
    std::memset(to, 0xff, static_cast<std::size_t>(span(stored)) * sizeof(float));
  if (transposed) {
#pragma omp parallel for schedule(static) if (span(stored) > kWorthThreads)
    for (std::int64_t first = 0; first < stored.cols; first += kRows) fill_columns(to, stored, first, values);
    return;
  }
#pragma omp parallel for schedule(static) if (span(stored) > kWorthThreads)
  for (std::int64_t row = 0; row < stored.rows; ++row) {
    const std::int64_t base = (row + values.rotate) % stored.rows;
    fill_range(to + row * stored.stride, base * stored.cols, stored.cols, values.distribution, values.seed,
               values.operand, values.limit);
  }
}

std::int64_t first_written_between_rows(const float* matrix, const StoredMatrix& stored) {
  const std::int64_t none = span(stored);
  std::int64_t first = none;
#pragma omp parallel for schedule(static) reduction(min : first) if (none > kWorthThreads)
  for (std::int64_t row = 0; row < stored.rows - 1; ++row) {
    for (std::int64_t col = stored.cols; col < stored.stride; ++col) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, matrix + row * stored.stride + col, sizeof(bits));
      if (bits != 0xffffffffU) first = std::min(first, row * stored.stride + col);
    }
  }
  return first == none ? -1 : first;
}

}  // namespace gemmlab
