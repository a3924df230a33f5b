#pragma once

// Sparse matrices that ask something of an implementation: the same for the CPU's and the GPU's tests.

#include <cstdint>
#include <string>
#include <vector>

#include "core/inputs/inputs.h"
#include "core/operation.h"

namespace gemmlab {

const Operation& spmv();

/// A (m, n) in CSR and x, of small whole numbers: every sum is exact in float32, whatever its order.
struct SpmvCase {
  std::string name;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::vector<std::int32_t> offsets;
  std::vector<std::int32_t> columns;
  std::vector<float> values;
  std::vector<float> x;

  Instance instance() const {
    return {
        &spmv(),
        {m, n, static_cast<std::int64_t>(columns.size())},
        {{"pattern", std::string("uniform")}, {"matrix", std::string()}, {"matrix_sha256", std::string()}}};
  }
  /// A·x by a plain loop.
  std::vector<float> product() const {
    std::vector<float> y;
    for (std::int64_t row = 0; row < m; ++row) {
      double sum = 0;
      for (auto i = static_cast<std::size_t>(offsets[row]); i < static_cast<std::size_t>(offsets[row + 1]);
           ++i) {
        sum += static_cast<double>(values[i]) * x[static_cast<std::size_t>(columns[i])];
      }
      y.push_back(static_cast<float>(sum));
    }
    return y;
  }
};

/// Rows of these lengths; columns in no order.
inline SpmvCase spmv_case(std::string name, std::int64_t n, const std::vector<std::int32_t>& lengths) {
  SpmvCase made;
  made.name = std::move(name);
  made.m = static_cast<std::int64_t>(lengths.size());
  made.n = n;
  made.offsets = {0};
  for (const std::int32_t length : lengths) made.offsets.push_back(made.offsets.back() + length);
  for (std::int64_t i = 0; i < made.offsets.back(); ++i) {
    made.columns.push_back(static_cast<std::int32_t>(hashed(1, 3, i) % static_cast<std::uint64_t>(n)));
    made.values.push_back(element(Distribution::kInteger, 1, Operand::kA, i, 3));
  }
  for (std::int64_t i = 0; i < n; ++i)
    made.x.push_back(element(Distribution::kInteger, 1, Operand::kB, i, 3));
  return made;
}

inline std::vector<SpmvCase> spmv_cases() {
  const auto rows = [](std::size_t count, std::int32_t length) {
    return std::vector<std::int32_t>(count, length);
  };
  std::vector<SpmvCase> cases;
  cases.push_back(spmv_case("one by one", 1, {1}));
  cases.push_back(spmv_case("one row", 1000, {777}));
  cases.push_back(spmv_case("one column", 1, rows(1001, 1)));
  cases.push_back(spmv_case("odd sizes", 129, rows(33, 7)));
  cases.push_back(spmv_case("as long as a tile", 4099, rows(37, 1791)));
  for (const std::int32_t length : {1, 2, 3, 5, 8, 17, 31, 33, 63, 65, 127, 129, 300}) {
    cases.push_back(spmv_case("rows of " + std::to_string(length), 523, rows(263, length)));
  }
  std::vector<std::int32_t> lengths = rows(70001, 0);
  lengths[0] = 5;
  lengths[34567] = 3;
  cases.push_back(spmv_case("nearly all rows empty", 50, lengths));
  lengths = rows(20001, 0);
  lengths.back() = 1;
  cases.push_back(spmv_case("the last row alone", 50, lengths));
  lengths = rows(20001, 2);
  lengths[10000] = 300001;
  cases.push_back(spmv_case("a long row among short ones", 5001, lengths));
  lengths = rows(301, 0);
  lengths[150] = 900001;
  cases.push_back(spmv_case("everything in one row", 5001, lengths));
  lengths = rows(3001, 0);
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    lengths[row] =
        row % 97 == 0 ? 4000 : static_cast<std::int32_t>(hashed(2, 3, static_cast<std::int64_t>(row)) % 9);
  }
  cases.push_back(spmv_case("long and short, some empty", 70001, lengths));
  return cases;
}

}  // namespace gemmlab
