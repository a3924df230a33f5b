#pragma once

// A and B as the matrix unit reads them in INT8: each element, scaled and rounded, an integer of three balanced
// digits (digit_range.h).

#include "cpu/gemm/matrix/digit_range.h"
#include "cpu/gemm/matrix/parts.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

/// Panels of columns that are split at once.
constexpr std::int64_t kMostPanels = 2;

/// Rows [row, row + 32) of A, all terms; what undoes each row's scale goes into `undo`.
void split_rows_into_digits(const Stored& a, std::int64_t row, char* to, double* undo, DigitRange* seen);

/// The same of B: `panels` panels of columns from `col` on, `panel_bytes` apart.
void split_columns_into_digits(const Stored& b, std::int64_t col, std::int64_t panels, char* to,
                               std::int64_t panel_bytes, double* undo, DigitRange* seen);

}  // namespace GEMMLAB_MATRIX_NAMESPACE
