#include "core/subject_checks.h"

#include <algorithm>

#include "core/matrix.h"

namespace gemmlab {

void SubjectChecks::add(std::vector<Check> checks) {
  for (Check& check : checks) checks_.push_back(std::move(check));
}

void SubjectChecks::exact(InputSets& sets) {
  output(references_.exact, sets, 0);
  inputs(references_.exact, sets, 0);
}

void SubjectChecks::timed(InputSets& sets, std::int64_t set, bool with_inputs) {
  output(references_.bound, sets, set);
  if (with_inputs) inputs(references_.bound, sets, set);
}

void SubjectChecks::host(HostSets& sets, std::int64_t set) {
  const Reference& reference = references_.bound;
  add(reference.check(sets.c(), sets.rotation(set)));
  checks_.push_back(check_inputs_unchanged(sets.a(set), sets.b(set), shape_, reference.distribution(), seed_,
                                           sets.rotation(set), reference.limit()));
  if (checks_.back().verdict != Verdict::kOk) sets.restore(set);
}

void SubjectChecks::output(const Reference& reference, const InputSets& sets, std::int64_t set) {
  AlignedArray<float> c(shape_.c_count());
  backend_.download(c.data(), sets.c(set), c.count());
  add(reference.check(c.data(), sets.rotation(set)));
}

void SubjectChecks::inputs(const Reference& reference, InputSets& sets, std::int64_t set) {
  AlignedArray<float> a(shape_.a_count());
  AlignedArray<float> b(shape_.b_count());
  backend_.download(a.data(), sets.a(set), a.count());
  backend_.download(b.data(), sets.b(set), b.count());
  checks_.push_back(check_inputs_unchanged(a.data(), b.data(), shape_, reference.distribution(), seed_,
                                           sets.rotation(set), reference.limit()));
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
