#pragma once

// Reads sparse matrices of others, so that spmv can be measured on them.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gemmlab::sparse {

/// A sparse matrix read from a file, in CSR: the entries of row r are offsets[r] to offsets[r + 1], columns
/// rising within a row.
struct FileMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<std::int32_t> offsets;
  std::vector<std::int32_t> columns;
  std::vector<float> values;  ///< empty where the file is a pattern
  std::string sha256;         ///< of the file's bytes
};

/// Reads a Matrix Market file: coordinate format; real, integer or pattern; general, symmetric or
/// skew-symmetric (the other half is added). Throws std::runtime_error, "FILE:LINE: what is wrong", for what
/// cannot be read, for indices outside the matrix, entries that are missing, too many or given twice, and
/// values that float32 does not hold. Source: Boisvert, Pozo, Remington, The Matrix Market Exchange Formats,
/// NISTIR 5935, 1996.
FileMatrix read_matrix_market(const std::string& path);

/// The same matrix, kept from call to call until another file, or another state of it, is asked for.
std::shared_ptr<const FileMatrix> matrix_of_file(const std::string& path);

}  // namespace gemmlab::sparse
