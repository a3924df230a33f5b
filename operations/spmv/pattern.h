#pragma once

// Where the entries of a generated matrix lie: the same on every platform for a pattern, its dimensions and
// a seed, since nothing but whole numbers and correctly rounded operations decide.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gemmlab::sparse {

/// kUniform: rows of equal length (the first ones by one longer), one column in each of as many equal
///           stretches of the row.
/// kBanded:  likewise, the columns side by side around the diagonal.
/// kBlocks:  likewise, in runs of up to kBlock adjacent columns, the same for kBlock rows: the blocks of a
///           finite-element matrix.
/// kPowerlaw: the k-th longest row is in proportion to k^(-3/4), columns as in kUniform; lengths are
///           scattered over the rows, and rows may be empty. With 2^20 rows of 16 entries in the mean the
///           longest has about 136,000.
enum class Pattern { kUniform, kBanded, kBlocks, kPowerlaw };
inline constexpr std::int64_t kBlock = 8;

std::vector<std::string> pattern_names();
Pattern pattern_from(const std::string& name);  ///< throws std::invalid_argument naming what is allowed

/// A generated matrix of m rows and n columns with exactly nnz entries; nnz <= m·n.
class GeneratedRows {
 public:
  GeneratedRows(Pattern pattern, std::int64_t m, std::int64_t n, std::int64_t nnz, std::uint64_t seed);
  /// m + 1 of them: the entries of row r are offsets[r] to offsets[r + 1].
  const std::vector<std::int32_t>& offsets() const { return offsets_; }
  /// The columns of a row, rising, none twice.
  void columns(std::int64_t row, std::int32_t* to) const;

 private:
  void spread(std::int64_t row, std::int64_t length, std::int32_t* to) const;
  void band(std::int64_t row, std::int64_t length, std::int32_t* to) const;
  void runs(std::int64_t row, std::int64_t length, std::int32_t* to) const;

  Pattern pattern_;
  std::int64_t m_;
  std::int64_t n_;
  std::uint64_t seed_;
  std::vector<std::int32_t> offsets_;
};

/// The same, kept from call to call until another matrix is asked for.
std::shared_ptr<const GeneratedRows> generated_rows(Pattern pattern, std::int64_t m, std::int64_t n,
                                                    std::int64_t nnz, std::uint64_t seed);

}  // namespace gemmlab::sparse
