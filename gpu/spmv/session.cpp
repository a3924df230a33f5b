#include "gpu/spmv/session.h"

#include "gpu/table.h"
#include "operations/spmv/structure.h"

namespace gemmlab::gpu {

SpmvSession::SpmvSession(const Instance& instance)
    : shape_{nullptr,
             nullptr,
             nullptr,
             nullptr,
             nullptr,
             static_cast<int>(instance.dim("m")),
             static_cast<int>(instance.dim("n")),
             static_cast<int>(instance.dim("nnz"))} {}

SpmvProblem SpmvSession::problem_of(const Operands& operands) const {
  SpmvProblem problem = shape_;
  problem.values = operands.in<float>(sparse::kValues);
  problem.columns = operands.in<int>(sparse::kColumns);
  problem.offsets = operands.in<int>(sparse::kOffsets);
  problem.x = operands.in<float>(sparse::kX);
  problem.y = operands.out<float>(sparse::kY);
  return problem;
}

void SpmvSession::run(const Operands& operands) {
  multiply(problem_of(operands));
}

SpmvRow::SpmvRow(Description description, Make make, double reads_of_offsets)
    : description_(std::move(description)), make_(make), reads_of_offsets_(reads_of_offsets) {
  description_.operation = "spmv";
}

std::string SpmvRow::unavailable() const {
  return gpu::unavailable();
}

double SpmvRow::moved_bytes(const Instance& instance, const Parameters&) const {
  const auto m = static_cast<double>(instance.dim("m"));
  return 4 * (3 * static_cast<double>(instance.dim("nnz")) + reads_of_offsets_ * (m + 1) + m);
}

}  // namespace gemmlab::gpu
