#include "core/operation.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "operations/spmv/structure.h"

namespace gemmlab {

using namespace sparse;

namespace {

constexpr std::int64_t kMostRows = 2'000'000'000;     // 32-bit indices, rounded up to a tile
constexpr std::int64_t kMostEntries = 2'000'000'000;  // 32-bit offsets
constexpr std::int64_t kEntriesPerRow = 16;           ///< where a definition says `size`

std::string text_of(const Instance& instance, const char* option) {
  return std::get<std::string>(instance.option(option));
}

/// Where row r of set `set` lies in the base, entry by entry: a rotation of the rows is one of the entries.
std::int64_t first_entry(const std::vector<std::int32_t>& offsets, std::int64_t set) {
  return offsets[static_cast<std::size_t>(set % (static_cast<std::int64_t>(offsets.size()) - 1))];
}

void fill_offsets(const Structure& structure, std::int64_t set, std::int32_t* to) {
  const auto& offsets = structure.offsets();
  const std::int64_t m = structure.rows();
  const std::int64_t shift = set % m;
  const std::int32_t first = offsets[static_cast<std::size_t>(shift)];
  const std::int32_t all = offsets.back();
  for (std::int64_t row = 0; row <= m; ++row) {
    const std::int64_t base = row + shift;
    to[row] = base <= m ? offsets[static_cast<std::size_t>(base)] - first
                        : offsets[static_cast<std::size_t>(base - m)] + all - first;
  }
}

void fill_columns(const Structure& structure, std::int64_t set, std::int32_t* to) {
  const auto& offsets = structure.offsets();
  const std::int64_t m = structure.rows();
  const std::int64_t rotated = first_entry(offsets, set);
#pragma omp parallel for schedule(dynamic, 256)
  for (std::int64_t row = 0; row < m; ++row) {
    const std::int64_t place = offsets[static_cast<std::size_t>(row)] - rotated;
    structure.columns(row, to + (place < 0 ? place + offsets.back() : place));
  }
}

void fill_entries(const Structure& structure, const InputValues& inputs, std::int64_t set, float* to) {
  constexpr std::int64_t kPiece = 1 << 14;
  const std::int64_t nnz = structure.offsets().back();
  const std::int64_t rotated = first_entry(structure.offsets(), set);
  const std::int32_t limit = integer_limit(structure.longest_row());
#pragma omp parallel for schedule(static)
  for (std::int64_t begin = 0; begin < nnz; begin += kPiece) {
    const std::int64_t end = std::min(nnz, begin + kPiece);
    const std::int64_t cut = std::clamp(nnz - rotated, begin, end);
    fill_values(structure, inputs, limit, begin + rotated, cut - begin, to + begin);
    fill_values(structure, inputs, limit, cut + rotated - nnz, end - cut, to + cut);
  }
}

class Spmv : public Operation {
 public:
  const std::string& name() const override { return name_; }
  std::string title() const override { return "y = A·x, A sparse in CSR, float32"; }
  const std::vector<DimensionSpec>& dimensions() const override { return dimensions_; }
  const std::vector<OptionSpec>& options() const override { return options_; }
  std::vector<OperandSpec> operands(const Instance&) const override { return operands_; }
  /// A square matrix of `size` rows with 16 entries each, or as many as a row has room for.
  std::vector<std::int64_t> dims_of_size(std::int64_t size) const override {
    return {size, size, size * std::min(size, kEntriesPerRow)};
  }

  std::int64_t count(const Instance& instance, std::size_t operand) const override {
    switch (operand) {
      case kValues:
      case kColumns:
        return instance.dim("nnz");
      case kOffsets:
        return instance.dim("m") + 1;
      case kX:
        return instance.dim("n");
      case kY:
        return instance.dim("m");
    }
    throw std::out_of_range("spmv has no operand " + std::to_string(operand));
  }
  bool differs_by_set(std::size_t operand) const override { return operand != kX; }
  double operation_count(const Instance& instance) const override {
    return 2 * static_cast<double>(instance.dim("nnz"));
  }
  /// Values, columns, offsets and y once; x once, or one element per entry where that is less.
  double least_bytes(const Instance& instance) const override {
    const auto m = static_cast<double>(instance.dim("m"));
    const auto n = static_cast<double>(instance.dim("n"));
    const auto nnz = static_cast<double>(instance.dim("nnz"));
    return 4 * (2 * nnz + (m + 1) + std::min(n, nnz) + m);
  }
  std::vector<Rate> rates(const Instance& instance) const override {
    return {{"gflop_per_s", "GFLOP/s", operation_count(instance) * 1e-9},
            {"gbyte_per_s", "GB/s", least_bytes(instance) * 1e-9}};
  }

  std::string why_not(const Instance& instance) const override {
    const std::int64_t m = instance.dim("m");
    const std::int64_t n = instance.dim("n");
    const std::int64_t nnz = instance.dim("nnz");
    if (!text_of(instance, "matrix").empty()) return why_not_file(instance);
    if (!text_of(instance, "matrix_sha256").empty()) return "matrix_sha256 is given without matrix";
    if ((nnz + m - 1) / m <= n) return {};
    return std::to_string(nnz) + " entries do not fit " + std::to_string(m) + " rows of " + std::to_string(n);
  }

  void fill(const Instance& instance, std::size_t operand, const InputValues& values, std::int64_t set,
            void* host_to) const override {
    auto* floats = static_cast<float*>(host_to);
    if (operand == kY) {
      std::fill_n(floats, instance.dim("m"), std::numeric_limits<float>::quiet_NaN());
      return;
    }
    const Structure structure(instance, values.seed);
    if (operand == kOffsets) return fill_offsets(structure, set, static_cast<std::int32_t*>(host_to));
    if (operand == kColumns) return fill_columns(structure, set, static_cast<std::int32_t*>(host_to));
    if (operand == kValues) return fill_entries(structure, values, set, floats);
    gemmlab::fill(floats, instance.dim("n"), 1, values.distribution, values.seed, gemmlab::Operand::kB, 0,
                  integer_limit(structure.longest_row()));
  }
  std::unique_ptr<OperationReference> reference(const Instance& instance, const InputValues& values,
                                                const DoubleProduct&) const override {
    return make_reference(instance, values);
  }
  std::vector<std::vector<std::int64_t>> odd_dimensions() const override {
    return {{1, 1, 1},     {7, 5, 11},      {33, 129, 257},      {1, 1000, 777},   {1000, 1, 500},
            {257, 3, 100}, {129, 64, 8256}, {1023, 2047, 16411}, {5000, 70, 4999}, {3, 4099, 9001}};
  }

 private:
  /// The file has to be the one that the point is named after, and of these dimensions.
  static std::string why_not_file(const Instance& instance) {
    const std::string path = text_of(instance, "matrix");
    if (instance.option("pattern") != OptionValue(pattern_names().front())) {
      return "pattern and matrix are both given; the matrix has its own pattern";
    }
    try {
      const auto matrix = matrix_of_file(path);
      if (text_of(instance, "matrix_sha256") != matrix->sha256) {
        return path + " has the SHA-256 " + matrix->sha256 + "; matrix_sha256 has to say so";
      }
      const std::int64_t nnz = matrix->offsets.back();
      if (instance.dim("m") == matrix->rows && instance.dim("n") == matrix->cols &&
          instance.dim("nnz") == nnz)
        return {};
      return path + " has m = " + std::to_string(matrix->rows) + ", n = " + std::to_string(matrix->cols) +
             " and nnz = " + std::to_string(nnz) + "; the definition has to say so";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  static std::vector<OptionValue> patterns() {
    std::vector<OptionValue> names;
    for (const auto& name : pattern_names()) names.emplace_back(name);
    return names;
  }

  std::string name_ = "spmv";
  std::vector<DimensionSpec> dimensions_ = {{"m", "rows", 1, kMostRows},
                                            {"n", "columns", 1, kMostRows},
                                            {"nnz", "entries that are stored", 1, kMostEntries}};
  std::vector<OptionSpec> options_ = {
      {"pattern", "where the entries of a generated matrix lie", patterns(), pattern_names().front()},
      {"matrix", "path of a Matrix Market file to take instead of a generated matrix", {}, std::string()},
      {"matrix_sha256", "SHA-256 of that file: other content is another point", {}, std::string()}};
  std::vector<OperandSpec> operands_ = {{"values", Direction::kIn, ElementType::kFloat32},
                                        {"columns", Direction::kIn, ElementType::kInt32},
                                        {"offsets", Direction::kIn, ElementType::kInt32},
                                        {"x", Direction::kIn, ElementType::kFloat32},
                                        {"y", Direction::kOut, ElementType::kFloat32}};
};

}  // namespace

const Operation& spmv() {
  static const Spmv operation;
  return operation;
}

}  // namespace gemmlab
