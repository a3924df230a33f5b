#include "operations/gemm/stored_matrix.h"

#include <algorithm>
#include <cstring>

#include "core/verification/verify_element.h"

namespace gemmlab {
namespace {

constexpr std::int64_t kRows = 16;      // that are transposed together: a line of the stored matrix
constexpr std::int64_t kColumns = 256;  // of them

void draw_values(float* to, std::int64_t first, std::int64_t count, const MatrixValues& values) {
  draw(to, first, count, values.type, values.distribution, values.seed, values.operand, values.limit);
}

/// Element `at` of a matrix of the type.
char* place(void* matrix, ElementType type, std::int64_t at) {
  return static_cast<char*>(matrix) + at * static_cast<std::int64_t>(bytes_of(type));
}

/// Rows `first` to `first` + kRows of the matrix become columns of what is stored.
void fill_columns(void* to, const StoredMatrix& stored, std::int64_t first, const MatrixValues& values) {
  const std::int64_t rows = stored.cols;
  const std::int64_t cols = stored.rows;
  const std::int64_t height = std::min(kRows, rows - first);
  float strip[kRows][kColumns];
  for (std::int64_t col0 = 0; col0 < cols; col0 += kColumns) {
    const std::int64_t width = std::min(kColumns, cols - col0);
    for (std::int64_t i = 0; i < height; ++i) {
      const std::int64_t base = (first + i + values.rotate) % rows;
      draw_values(strip[i], base * cols + col0, width, values);
    }
    for (std::int64_t j = 0; j < width; ++j) {
      float column[kRows];
      for (std::int64_t i = 0; i < height; ++i) column[i] = strip[i][j];
      narrow(values.type, column, height, place(to, values.type, (col0 + j) * stored.stride + first));
    }
  }
}

/// Row `row` of what is stored.
void fill_row(void* to, const StoredMatrix& stored, std::int64_t row, const MatrixValues& values) {
  const std::int64_t base = (row + values.rotate) % stored.rows;
  float strip[kColumns];
  for (std::int64_t col0 = 0; col0 < stored.cols; col0 += kColumns) {
    const std::int64_t width = std::min(kColumns, stored.cols - col0);
    draw_values(strip, base * stored.cols + col0, width, values);
    narrow(values.type, strip, width, place(to, values.type, row * stored.stride + col0));
  }
}

}  // namespace

void fill_stored(void* to, const StoredMatrix& stored, bool transposed, const MatrixValues& values) {
  if (!transposed && stored.stride == stored.cols && values.type == ElementType::kFloat32) {
    return fill(static_cast<float*>(to), stored.rows, stored.cols, values.distribution, values.seed,
                values.operand, values.rotate, values.limit);
  }
  if (stored.stride != stored.cols)
    std::memset(to, 0xff, static_cast<std::size_t>(span(stored)) * bytes_of(values.type));
  if (transposed) {
#pragma omp parallel for schedule(static) if (span(stored) > kWorthThreads)
    for (std::int64_t first = 0; first < stored.cols; first += kRows) fill_columns(to, stored, first, values);
    return;
  }
#pragma omp parallel for schedule(static) if (span(stored) > kWorthThreads)
  for (std::int64_t row = 0; row < stored.rows; ++row) fill_row(to, stored, row, values);
}

std::int64_t first_written_between_rows(const void* matrix, const StoredMatrix& stored, std::size_t bytes) {
  const std::int64_t none = span(stored);
  std::int64_t first = none;
#pragma omp parallel for schedule(static) reduction(min : first) if (none > kWorthThreads)
  for (std::int64_t row = 0; row < stored.rows - 1; ++row) {
    for (std::int64_t col = stored.cols; col < stored.stride; ++col) {
      std::uint32_t bits = ~0U;
      const std::int64_t at = row * stored.stride + col;
      std::memcpy(&bits, static_cast<const char*>(matrix) + at * static_cast<std::int64_t>(bytes), bytes);
      if (bits != ~0U) first = std::min(first, at);
    }
  }
  return first == none ? -1 : first;
}

std::vector<float> widened(ElementType type, const void* matrix, const StoredMatrix& stored) {
  std::vector<float> wide(static_cast<std::size_t>(span(stored)));
#pragma omp parallel for schedule(static) if (span(stored) > kWorthThreads)
  for (std::int64_t row = 0; row < stored.rows; ++row) {
    const std::int64_t at = row * stored.stride;
    widen(type, static_cast<const char*>(matrix) + at * static_cast<std::int64_t>(bytes_of(type)),
          stored.cols, wide.data() + at);
  }
  return wide;
}

}  // namespace gemmlab
