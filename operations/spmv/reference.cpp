#include <algorithm>
#include <cmath>

#include "core/verification/verify_element.h"
#include "operations/gemm/verify_rows.h"
#include "operations/spmv/structure.h"

namespace gemmlab::sparse {
namespace {

/// One row of A·x: the sum, the sum of the terms' magnitudes and the number of terms.
struct Row {
  double sum = 0;
  double scale = 0;
  std::int64_t length = 0;
};

class SpmvReference : public OperationReference {
 public:
  SpmvReference(const Instance& instance, const InputValues& inputs)
      : inputs_(inputs), m_(instance.dim("m")), rows_(static_cast<std::size_t>(m_)) {
    const Structure structure(instance, inputs.seed);
    file_values_ = takes_values_of_file(structure, inputs);
    const std::int32_t limit = integer_limit(structure.longest_row());
    std::vector<float> x(static_cast<std::size_t>(instance.dim("n")));
    gemmlab::fill(x.data(), instance.dim("n"), 1, inputs.distribution, inputs.seed, Operand::kB, 0, limit);
#pragma omp parallel
    {
      std::vector<std::int32_t> columns;
      std::vector<float> values;
#pragma omp for schedule(dynamic, 64)
      for (std::int64_t row = 0; row < m_; ++row) {
        const std::int64_t first = structure.offsets()[static_cast<std::size_t>(row)];
        const std::int64_t length = structure.offsets()[static_cast<std::size_t>(row) + 1] - first;
        columns.resize(static_cast<std::size_t>(length));
        values.resize(static_cast<std::size_t>(length));
        structure.columns(row, columns.data());
        fill_values(structure, inputs, limit, first, length, values.data());
        rows_[static_cast<std::size_t>(row)] = product(columns, values, x);
      }
    }
  }

  /// One check, "exact" for integer inputs or "bound"; worst_row is the row of y.
  std::vector<Check> check(const Operands& operands, std::int64_t set) const override {
    const bool exact = inputs_.distribution == Distribution::kInteger;
    const auto* y = operands.in<float>(kY);
    const Worst worst = over_rows(m_, 1, [&](Worst& met, std::int64_t row) {
      const Row& expected = rows_[static_cast<std::size_t>((row + set) % m_)];
      if (exact) {
        meet_exact(met, y[row], expected.sum, row);
      } else {
        meet_element(met, bounds(expected.length), y[row], expected.sum, expected.scale, row);
      }
    });
    Check check;
    check.method = exact ? "exact" : "bound";
    check.eta_max = worst.eta;
    check.worst_row = worst.index;
    check.worst_col = 0;
    check.verdict = bounds(1).verdict(worst);
    return {check};
  }

 private:
  static Row product(const std::vector<std::int32_t>& columns, const std::vector<float>& values,
                     const std::vector<float>& x) {
    Row row;
    row.length = static_cast<std::int64_t>(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double term = static_cast<double>(values[i]) * x[static_cast<std::size_t>(columns[i])];
      row.sum += term;
      row.scale += std::abs(term);
    }
    return row;
  }

  /// Of a row of `length` terms. A file's values may fall off steeply along a row, so that errors do not
  /// cancel: there the bound is the one that holds for any order of summation.
  Bounds bounds(std::int64_t length) const {
    Bounds bounds = Bounds::of(inputs_.distribution, length);
    if (file_values_) {
      bounds.eta = std::max(bounds.eta, static_cast<double>(length));
      bounds.eta_reduced = std::max(bounds.eta_reduced, bounds.eta);
    }
    return bounds;
  }

  InputValues inputs_;
  std::int64_t m_;
  bool file_values_ = false;
  std::vector<Row> rows_;
};

}  // namespace

std::unique_ptr<OperationReference> make_reference(const Instance& instance, const InputValues& values) {
  return std::make_unique<SpmvReference>(instance, values);
}

}  // namespace gemmlab::sparse
