#include "operations/spmv/matrix_market.h"

#include <gtest/gtest.h>

#include <chrono>

#include "core/records/sha256.h"
#include "tests/scratch.h"

namespace gemmlab::sparse {
namespace {

class MatrixMarket : public test::ScratchFolder {
 protected:
  FileMatrix read_text(const std::string& text) const { return read_matrix_market(write("a.mtx", text)); }
  /// What is said of a file, without its path.
  std::string refusal(const std::string& text) const {
    try {
      read_text(text);
    } catch (const std::runtime_error& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.rfind(path("a.mtx"), 0), 0u) << what;
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
      return what.substr(path("a.mtx").size());
    }
    return "taken";
  }
  /// The same of entries below the header and sizes of a 3×4 matrix with two entries.
  std::string refusal_of_entries(const std::string& entries) const {
    return refusal("%%MatrixMarket matrix coordinate real general\n3 4 2\n" + entries);
  }
};

TEST_F(MatrixMarket, a_real_general_file_in_any_order_becomes_rows_with_rising_columns) {
  const std::string text =
      "%%MatrixMarket matrix coordinate real general\n% a comment\n\n3 4 4\n3 1 -2.5\n1 4 1e-3\r\n\n1 2 "
      "+7\n3 3 0\n";
  const FileMatrix matrix = read_text(text);
  EXPECT_EQ(matrix.rows, 3);
  EXPECT_EQ(matrix.cols, 4);
  EXPECT_EQ(matrix.offsets, (std::vector<std::int32_t>{0, 2, 2, 4}));
  EXPECT_EQ(matrix.columns, (std::vector<std::int32_t>{1, 3, 0, 2}));
  EXPECT_EQ(matrix.values, (std::vector<float>{7, 1e-3f, -2.5f, 0}));
  EXPECT_EQ(matrix.sha256, sha256(text));
}

TEST_F(MatrixMarket, a_symmetric_file_gets_its_upper_half) {
  const FileMatrix matrix =
      read_text("%%matrixmarket MATRIX Coordinate Integer Symmetric\n3 3 3\n1 1 5\n3 1 2\n3 2 -1\n");
  EXPECT_EQ(matrix.offsets, (std::vector<std::int32_t>{0, 2, 3, 5}));
  EXPECT_EQ(matrix.columns, (std::vector<std::int32_t>{0, 2, 2, 0, 1}));
  EXPECT_EQ(matrix.values, (std::vector<float>{5, 2, -1, 2, -1}));
}

TEST_F(MatrixMarket, a_skew_symmetric_file_gets_the_negative_of_it) {
  const FileMatrix matrix = read_text("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n");
  EXPECT_EQ(matrix.columns, (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(matrix.values, (std::vector<float>{-3, 3}));
}

TEST_F(MatrixMarket, a_pattern_has_no_values) {
  const FileMatrix matrix = read_text("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 1\n");
  EXPECT_EQ(matrix.columns, (std::vector<std::int32_t>{0, 0}));
  EXPECT_TRUE(matrix.values.empty());
}

TEST_F(MatrixMarket, a_wrong_header_is_named) {
  const std::string sizes = "\n1 1 1\n1 1 1\n";
  EXPECT_EQ(refusal(""), ":0: not a Matrix Market file: '%%MatrixMarket matrix coordinate ...' is expected");
  EXPECT_EQ(refusal("3 3 1\n1 1 1\n"),
            ":1: not a Matrix Market file: '%%MatrixMarket matrix coordinate ...' is expected");
  EXPECT_EQ(refusal("%%MatrixMarket matrix array real general" + sizes),
            ":1: the format is 'array'; only coordinate is read");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate complex general" + sizes),
            ":1: the field is 'complex'; real, integer and pattern are read");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate real hermitian" + sizes),
            ":1: the symmetry is 'hermitian'; general, symmetric and skew-symmetric (with values) are read");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate real general 7" + sizes),
            ":1: '7' is one word too many");
}

TEST_F(MatrixMarket, wrong_sizes_are_named) {
  const std::string header = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_EQ(refusal(header), ":1: the file ends before the line of sizes");
  EXPECT_EQ(refusal(header + "3 x 1\n"), ":2: 'x' is not a whole number; the number of columns is expected");
  EXPECT_EQ(refusal(header + "3 0 1\n"), ":2: the number of columns is 0, and may be 1 to 2147483646");
  EXPECT_EQ(refusal(header + "3 3\n"), ":2: '' is not a whole number; the number of entries is expected");
  EXPECT_EQ(refusal(header + "99999999999999999999 3 1\n"),
            ":2: '99999999999999999999' is not a whole number; the number of rows is expected");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n"),
            ":2: a symmetric matrix has as many rows as columns");
}

TEST_F(MatrixMarket, entries_outside_missing_twice_or_too_many_are_named_with_their_line) {
  EXPECT_EQ(refusal_of_entries("1 1 1\n2 2 2\n"), "taken");
  EXPECT_EQ(refusal_of_entries("1 1 1\n4 2 2\n"), ":4: a row is 4, and may be 1 to 3");
  EXPECT_EQ(refusal_of_entries("1 0 1\n2 2 2\n"), ":3: a column is 0, and may be 1 to 4");
  EXPECT_EQ(refusal_of_entries("1 5 1\n2 2 2\n"), ":3: a column is 5, and may be 1 to 4");
  EXPECT_EQ(refusal_of_entries("1 1 1\n"), ":3: the file ends after 1 of 2 entries");
  EXPECT_EQ(refusal_of_entries("1 1 1\n2 2 2\n\n3 3 3\n"), ":6: more than the 2 entries announced");
  EXPECT_EQ(refusal_of_entries("1 1 1\n1 1 2\n"), ":4: this entry stands in line 3 already");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n"),
            ":3: the file is symmetric, and gives the lower half; this entry is not in it");
}

TEST_F(MatrixMarket, values_that_are_none_are_named) {
  EXPECT_EQ(refusal_of_entries("1 1\n2 2 2\n"), ":3: '' is not a number; a value is expected");
  EXPECT_EQ(refusal_of_entries("1 1 1 1\n2 2 2\n"), ":3: '1' is one word too many");
  EXPECT_EQ(refusal_of_entries("1 1 1e39\n2 2 2\n"), ":3: the value 1e39 is outside float32");
  EXPECT_EQ(refusal_of_entries("1 1 nan\n2 2 2\n"), ":3: the value nan is outside float32");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 16777217\n"),
            ":3: an integer value is 16777217, and may be -16777216 to 16777216");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n"),
            ":3: '1.5' is not a whole number; an integer value is expected");
}

TEST_F(MatrixMarket, a_file_that_announces_more_than_it_has_takes_no_memory_for_it) {
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate pattern general\n9 9 2147483647\n1 1\n"),
            ":3: the file ends after 1 of 2147483647 entries");
}

TEST_F(MatrixMarket, a_missing_file_is_named) {
  EXPECT_THROW(read_matrix_market(path("none.mtx")), std::runtime_error);
  EXPECT_THROW(matrix_of_file(path("none.mtx")), std::runtime_error);
}

TEST_F(MatrixMarket, a_file_is_read_again_once_it_has_changed) {
  const std::string header = "%%MatrixMarket matrix coordinate real general\n1 1 1\n";
  const std::string file = write("a.mtx", header + "1 1 5\n");
  const auto first = matrix_of_file(file);
  EXPECT_EQ(matrix_of_file(file), first);
  write("a.mtx", header + "1 1 6\n");
  std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) + std::chrono::seconds(1));
  EXPECT_EQ(matrix_of_file(file)->values, (std::vector<float>{6}));
  EXPECT_EQ(first->values, (std::vector<float>{5}));
}

}  // namespace
}  // namespace gemmlab::sparse
