#pragma once

// A and B as the matrix unit reads them: each element the sum of three BF16 numbers.
//
// hi = bf16(x), mid = bf16(x - hi), lo = x - hi - mid: 8 bits and a sign each, so that the three together are x
// exactly. Henry, Tang and Heinecke, 2019.

#include <cstdint>

#include "cpu/gemm/matrix/layout.h"
#include "cpu/gemm/matrix/range.h"
#include "cpu/gemm/matrix/tiles.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

constexpr std::int64_t kLanes = 16;
using Floats = float __attribute__((vector_size(64)));
using UnalignedFloats = float __attribute__((vector_size(64), aligned(4), may_alias));

/// A row-major matrix.
struct Stored {
  const float* first;
  std::int64_t rows;
  std::int64_t cols;
};

/// Rows [row, row + 32) of A, terms from k on, `steps` steps, multiplied by `factor`. What they hold goes into
/// `seen`, before that.
void split_rows(const Stored& a, std::int64_t row, std::int64_t k, std::int64_t steps, float factor, char* to,
                Range* seen);

/// The same of B: 32 terms from k on, `panels` panels of columns from `col` on, `panel_bytes` apart.
void split_columns(const Stored& b, std::int64_t k, std::int64_t col, std::int64_t panels, float factor,
                   char* to, std::int64_t panel_bytes, Range* seen);

/// What a matrix's rows [begin, end) hold.
void look_at(const Stored& matrix, std::int64_t begin, std::int64_t end, Range* seen);

}  // namespace GEMMLAB_MATRIX_NAMESPACE
