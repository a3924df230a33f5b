#include "operations/spmv/structure.h"

#include <algorithm>

namespace gemmlab::sparse {

Structure::Structure(const Instance& instance, std::uint64_t seed) {
  const auto& path = std::get<std::string>(instance.option("matrix"));
  if (!path.empty()) {
    file_ = matrix_of_file(path);
    return;
  }
  generated_ = generated_rows(pattern_from(std::get<std::string>(instance.option("pattern"))),
                              instance.dim("m"), instance.dim("n"), instance.dim("nnz"), seed);
}

std::int64_t Structure::longest_row() const {
  std::int64_t longest = 0;
  const auto& at = offsets();
  for (std::size_t row = 1; row < at.size(); ++row)
    longest = std::max<std::int64_t>(longest, at[row] - at[row - 1]);
  return longest;
}

void Structure::columns(std::int64_t row, std::int32_t* to) const {
  if (generated_) return generated_->columns(row, to);
  const auto first = file_->offsets[static_cast<std::size_t>(row)];
  const auto end = file_->offsets[static_cast<std::size_t>(row) + 1];
  std::copy(file_->columns.begin() + first, file_->columns.begin() + end, to);
}

bool takes_values_of_file(const Structure& structure, const InputValues& inputs) {
  return structure.values() != nullptr && inputs.distribution != Distribution::kInteger;
}

void fill_values(const Structure& structure, const InputValues& inputs, std::int32_t limit,
                 std::int64_t first, std::int64_t count, float* to) {
  if (takes_values_of_file(structure, inputs)) {
    std::copy_n(structure.values() + first, count, to);
  } else {
    fill_range(to, first, count, inputs.distribution, inputs.seed, Operand::kA, limit);
  }
}

}  // namespace gemmlab::sparse
