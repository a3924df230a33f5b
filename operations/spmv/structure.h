#pragma once

// Where the entries of spmv's matrix are, generated or read from a file.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/operation.h"
#include "operations/spmv/matrix_market.h"
#include "operations/spmv/pattern.h"

namespace gemmlab::sparse {

// The operands, in the operation's order.
inline constexpr std::size_t kValues = 0;
inline constexpr std::size_t kColumns = 1;
inline constexpr std::size_t kOffsets = 2;
inline constexpr std::size_t kX = 3;
inline constexpr std::size_t kY = 4;

/// The base matrix of an instance, generated or from a file.
///
/// Set s of rotated inputs is this matrix with row (r + s) mod m as row r: entries and offsets move with it,
/// x stays. So every set holds other numbers at each place, its y is the base's y rotated by s rows, and one
/// reference serves all.
class Structure {
 public:
  /// Throws std::runtime_error where a file cannot be read.
  Structure(const Instance& instance, std::uint64_t seed);

  const std::vector<std::int32_t>& offsets() const { return file_ ? file_->offsets : generated_->offsets(); }
  std::int64_t rows() const { return static_cast<std::int64_t>(offsets().size()) - 1; }
  std::int64_t longest_row() const;
  /// Columns of a row of the base, rising.
  void columns(std::int64_t row, std::int32_t* to) const;
  /// Values that a file gives; nullptr where they are generated.
  const float* values() const { return file_ && !file_->values.empty() ? file_->values.data() : nullptr; }

 private:
  std::shared_ptr<const FileMatrix> file_;
  std::shared_ptr<const GeneratedRows> generated_;
};

/// `count` values of the base matrix from entry `first` on: those of a file that has any, unless the inputs
/// are to be integers; else generated.
void fill_values(const Structure& structure, const InputValues& inputs, std::int32_t limit,
                 std::int64_t first, std::int64_t count, float* to);
/// Does fill_values take the values of a file?
bool takes_values_of_file(const Structure& structure, const InputValues& inputs);

/// R and, for each row, the sum of |a||x|: every row, in double.
std::unique_ptr<OperationReference> make_reference(const Instance& instance, const InputValues& values);

}  // namespace gemmlab::sparse
