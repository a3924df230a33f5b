#include "operations/spmv/matrix_market.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "core/records/sha256.h"

namespace gemmlab::sparse {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

enum class Field { kReal, kInteger, kPattern };
enum class Symmetry { kGeneral, kSymmetric, kSkew };

struct Entry {
  std::int32_t row;
  std::int32_t col;
  float value;
  std::int64_t line;
};

/// The lines of a file and their words; whatever is wrong is said with file and line.
class Lines {
 public:
  Lines(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  bool next() {
    if (at_ >= text_.size()) return false;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    rest_ = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++line_;
    return true;
  }
  /// The next line that holds anything but blanks; `comments`: and is no comment.
  bool next_filled(bool comments) {
    while (next()) {
      const std::size_t first = rest_.find_first_not_of(kBlanks);
      if (first == std::string_view::npos || (comments && rest_[first] == '%')) continue;
      return true;
    }
    return false;
  }
  /// The next word of the line; empty at its end.
  std::string_view word() {
    const std::size_t first = std::min(rest_.find_first_not_of(kBlanks), rest_.size());
    rest_.remove_prefix(first);
    const std::string_view found = rest_.substr(0, std::min(rest_.find_first_of(kBlanks), rest_.size()));
    rest_.remove_prefix(found.size());
    return found;
  }
  void end_of_line() {
    if (const auto more = word(); !more.empty()) fail("'" + std::string(more) + "' is one word too many");
  }
  std::int64_t whole_number(const char* what, std::int64_t least, std::int64_t most) {
    const std::string_view found = word();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(found.data(), found.data() + found.size(), value);
    if (error != std::errc() || end != found.data() + found.size()) {
      fail("'" + std::string(found) + "' is not a whole number; " + what + " is expected");
    }
    if (value < least || value > most) {
      fail(std::string(what) + " is " + std::to_string(value) + ", and may be " + std::to_string(least) +
           " to " + std::to_string(most));
    }
    return value;
  }
  float real_number() {
    std::string_view found = word();
    if (found.size() > 1 && found[0] == '+' && found[1] != '-') found.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(found.data(), found.data() + found.size(), value);
    const bool whole = end == found.data() + found.size();
    if ((error != std::errc() && error != std::errc::result_out_of_range) || !whole) {
      fail("'" + std::string(found) + "' is not a number; a value is expected");
    }
    if (error != std::errc() || !(std::abs(value) <= std::numeric_limits<float>::max())) {
      fail("the value " + std::string(found) + " is outside float32");
    }
    return static_cast<float>(value);
  }

  [[noreturn]] void fail(const std::string& what) const { fail_at(line_, what); }
  [[noreturn]] void fail_at(std::int64_t line, const std::string& what) const {
    throw std::runtime_error(path_ + ":" + std::to_string(line) + ": " + what);
  }
  std::int64_t line() const { return line_; }

 private:
  static constexpr const char* kBlanks = " \t\r";
  const std::string& path_;
  std::string_view text_;
  std::string_view rest_;
  std::size_t at_ = 0;
  std::int64_t line_ = 0;
};

std::string lower(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

struct Header {
  Field field;
  Symmetry symmetry;
};

Header read_header(Lines& lines) {
  if (!lines.next() || lower(lines.word()) != "%%matrixmarket" || lower(lines.word()) != "matrix") {
    lines.fail("not a Matrix Market file: '%%MatrixMarket matrix coordinate ...' is expected");
  }
  const std::string format = lower(lines.word());
  const std::string field = lower(lines.word());
  const std::string symmetry = lower(lines.word());
  lines.end_of_line();
  if (format != "coordinate") lines.fail("the format is '" + format + "'; only coordinate is read");
  Header header{};
  if (field == "real" || field == "double") {
    header.field = Field::kReal;
  } else if (field == "integer") {
    header.field = Field::kInteger;
  } else if (field == "pattern") {
    header.field = Field::kPattern;
  } else {
    lines.fail("the field is '" + field + "'; real, integer and pattern are read");
  }
  if (symmetry == "general") {
    header.symmetry = Symmetry::kGeneral;
  } else if (symmetry == "symmetric") {
    header.symmetry = Symmetry::kSymmetric;
  } else if (symmetry == "skew-symmetric" && header.field != Field::kPattern) {
    header.symmetry = Symmetry::kSkew;
  } else {
    lines.fail("the symmetry is '" + symmetry +
               "'; general, symmetric and skew-symmetric (with values) are read");
  }
  return header;
}

/// One entry and, of a symmetric matrix, its mirror image.
void read_entry(Lines& lines, const Header& header, const FileMatrix& matrix, std::vector<Entry>& entries) {
  const auto row = static_cast<std::int32_t>(lines.whole_number("a row", 1, matrix.rows) - 1);
  const auto col = static_cast<std::int32_t>(lines.whole_number("a column", 1, matrix.cols) - 1);
  float value = 1;
  if (header.field == Field::kReal) value = lines.real_number();
  if (header.field == Field::kInteger) {
    // beyond 2²⁴ float32 does not hold every whole number
    value = static_cast<float>(lines.whole_number("an integer value", -(1 << 24), 1 << 24));
  }
  lines.end_of_line();
  entries.push_back({row, col, value, lines.line()});
  if (header.symmetry == Symmetry::kGeneral) return;
  if (col > row || (header.symmetry == Symmetry::kSkew && col == row)) {
    lines.fail("the file is symmetric, and gives the lower half; this entry is not in it");
  }
  if (col == row) return;
  entries.push_back({col, row, header.symmetry == Symmetry::kSkew ? -value : value, lines.line()});
}

/// Entries in the order of rows and, within a row, of columns.
void sort_into(FileMatrix& matrix, std::vector<Entry>& entries, const Lines& lines, bool pattern) {
  std::sort(entries.begin(), entries.end(), [](const Entry& left, const Entry& right) {
    return left.row != right.row   ? left.row < right.row
           : left.col != right.col ? left.col < right.col
                                   : left.line < right.line;
  });
  matrix.offsets.assign(static_cast<std::size_t>(matrix.rows) + 1, 0);
  matrix.columns.reserve(entries.size());
  if (!pattern) matrix.values.reserve(entries.size());
  const Entry* before = nullptr;
  for (const Entry& entry : entries) {
    if (before != nullptr && before->row == entry.row && before->col == entry.col) {
      lines.fail_at(entry.line, "this entry stands in line " + std::to_string(before->line) + " already");
    }
    before = &entry;
    ++matrix.offsets[static_cast<std::size_t>(entry.row) + 1];
    matrix.columns.push_back(entry.col);
    if (!pattern) matrix.values.push_back(entry.value);
  }
  std::partial_sum(matrix.offsets.begin(), matrix.offsets.end(), matrix.offsets.begin());
}

std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad()) throw std::runtime_error(path + ": cannot be read");
  return bytes;
}

}  // namespace

FileMatrix read_matrix_market(const std::string& path) {
  const std::string bytes = bytes_of_file(path);
  Lines lines(path, bytes);
  const Header header = read_header(lines);
  if (!lines.next_filled(true)) lines.fail("the file ends before the line of sizes");
  FileMatrix matrix;
  matrix.rows = lines.whole_number("the number of rows", 1, kMost - 1);
  matrix.cols = lines.whole_number("the number of columns", 1, kMost - 1);
  const std::int64_t announced = lines.whole_number("the number of entries", 1, kMost);
  lines.end_of_line();
  if (header.symmetry != Symmetry::kGeneral && matrix.rows != matrix.cols) {
    lines.fail("a symmetric matrix has as many rows as columns");
  }
  std::vector<Entry> entries;  // grows with what is there, whatever the file announces
  for (std::int64_t read = 0; read < announced; ++read) {
    if (!lines.next_filled(false)) {
      lines.fail("the file ends after " + std::to_string(read) + " of " + std::to_string(announced) +
                 " entries");
    }
    read_entry(lines, header, matrix, entries);
  }
  if (lines.next_filled(false))
    lines.fail("more than the " + std::to_string(announced) + " entries announced");
  if (static_cast<std::int64_t>(entries.size()) > kMost) lines.fail("more entries than 32-bit offsets count");
  sort_into(matrix, entries, lines, header.field == Field::kPattern);
  matrix.sha256 = sha256(bytes);
  return matrix;
}

std::shared_ptr<const FileMatrix> matrix_of_file(const std::string& path) {
  struct Kept {
    std::string path;
    std::filesystem::file_time_type written;
    std::uintmax_t bytes = 0;
    std::shared_ptr<const FileMatrix> matrix;
  };
  static std::mutex mutex;
  static Kept kept;
  std::error_code error;
  const auto written = std::filesystem::last_write_time(path, error);
  if (error) throw std::runtime_error(path + ": cannot be read: " + error.message());
  const auto bytes = std::filesystem::file_size(path, error);
  if (error) throw std::runtime_error(path + ": cannot be read: " + error.message());
  const std::lock_guard lock(mutex);
  if (!kept.matrix || kept.path != path || kept.written != written || kept.bytes != bytes) {
    kept = {path, written, bytes, std::make_shared<const FileMatrix>(read_matrix_market(path))};
  }
  return kept.matrix;
}

}  // namespace gemmlab::sparse
