#include "core/verification/subject_checks.h"

#include <algorithm>
#include <utility>

#include "core/inputs/matrix.h"

namespace gemmlab {
namespace {

/// Some operands of a set, brought into host memory where they do not lie there; nullptr for the others.
class Fetched {
 public:
  template <typename Wanted>
  Fetched(Backend& backend, const InputSets& sets, std::int64_t set, Wanted&& wanted) {
    const Instance& instance = sets.instance();
    const std::vector<OperandSpec> specs = instance.operands();
    const Operands from = sets.operands(set);
    std::vector<void*> at(from.size());
    if (sets.room() == Room::kHost) backend.synchronize();
    for (std::size_t operand = 0; operand < from.size(); ++operand) {
      if (!wanted(specs.at(operand).direction)) continue;
      if (sets.room() == Room::kHost) {
        at[operand] = from.at(operand);
        continue;
      }
      memory_.emplace_back(instance.bytes(operand));
      at[operand] = memory_.back().data();
      backend.download_bytes(at[operand], from.at(operand), memory_.back().count());
    }
    operands_ = Operands(std::move(at));
  }
  const Operands& operands() const { return operands_; }

 private:
  std::vector<AlignedArray<char>> memory_;
  Operands operands_;
};

}  // namespace

void SubjectChecks::add(std::vector<Check> checks) {
  for (Check& check : checks) checks_.push_back(std::move(check));
}

void SubjectChecks::exact(InputSets& sets) {
  output(references_.exact, sets, 0);
  inputs(sets, 0);
}

void SubjectChecks::timed(InputSets& sets, std::int64_t set, bool with_inputs) {
  output(references_.bound, sets, set);
  if (with_inputs) inputs(sets, set);
}

void SubjectChecks::host(HostSets& sets, std::int64_t set) {
  const Operands operands = sets.operands(set);
  add(references_.bound.check(operands, set));
  checks_.push_back(instance_.operation->unchanged(instance_, operands, sets.values(), set));
  if (checks_.back().verdict != Verdict::kOk) sets.restore(set);
}

void SubjectChecks::output(const OperationReference& reference, const InputSets& sets, std::int64_t set) {
  const Fetched outputs(backend_, sets, set, [](Direction direction) { return direction != Direction::kIn; });
  add(reference.check(outputs.operands(), set));
}

void SubjectChecks::inputs(InputSets& sets, std::int64_t set) {
  const Fetched inputs(backend_, sets, set, [](Direction direction) { return direction == Direction::kIn; });
  checks_.push_back(instance_.operation->unchanged(instance_, inputs.operands(), sets.values(), set));
  if (checks_.back().verdict != Verdict::kOk) sets.restore(set);
}

std::string SubjectChecks::failure() const {
  if (overall(checks_) != Verdict::kIncorrect) return {};
  const auto worst = std::find_if(checks_.begin(), checks_.end(),
                                  [](const Check& check) { return check.verdict != Verdict::kOk; });
  if (worst == checks_.end()) return "no check was made";
  return worst->method + " check failed, worst at row " + std::to_string(worst->worst_row) + ", column " +
         std::to_string(worst->worst_col);
}

}  // namespace gemmlab
