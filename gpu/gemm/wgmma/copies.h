#pragma once

// Copies of operands for TMA, whose rows begin at multiples of 16 bytes.

#include <cstdint>

namespace gemmlab::gpu::tensor_core {

constexpr std::int64_t kLine = 128;  // bytes of one of the caches

/// Bytes from one row to the next of a copy whose rows have `length` bytes.
constexpr std::int64_t copied_row_bytes(std::int64_t length) {
  return (length + kLine - 1) / kLine * kLine;
}

/// Rows of `length` bytes, one behind the other, and where they go: `to_row` apart, a copied_row_bytes(length), zeros between.
struct CopiedRows {
  void* to = nullptr;
  const void* from = nullptr;
  std::int64_t rows = 0;  ///< 0: nothing is copied
  std::int64_t length = 0;
  std::int64_t to_row = 0;
};
/// Before the first copy on a card.
void prepare_copy_rows();
/// Copies both by one kernel.
void launch_copy_rows(const CopiedRows& first, const CopiedRows& second);

/// Transposes a matrix (rows, cols) of single bytes; rows of the copy lie copied_row_bytes(rows) apart, zeros between.
void launch_transpose_bytes(void* to, const void* from, std::int64_t rows, std::int64_t cols);

}  // namespace gemmlab::gpu::tensor_core
