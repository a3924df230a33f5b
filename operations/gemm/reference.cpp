#include "operations/gemm/reference.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "operations/gemm/verify_parts.h"

namespace gemmlab {

struct Reference::State {
  ProductSpec spec;
  std::optional<FullReference> full;
  std::optional<ProjectedReference> projected;
  std::optional<SampledReference> sampled;
};

Check check_of(const Worst& worst, const Bounds& bounds, const char* method, std::int64_t cols) {
  Check check;
  check.method = method;
  check.eta_max = worst.eta;
  check.worst_row = worst.index / cols;
  check.worst_col = worst.index % cols;
  check.verdict = bounds.verdict(worst);
  return check;
}

Reference::Reference(const Shape& shape, Distribution distribution, std::uint64_t seed,
                     const DoubleProduct& product, bool force_projection)
    : Reference(shape, form_of(shape), distribution, seed, product, force_projection) {}

Reference::Reference(const Shape& shape, const GemmForm& form, Distribution distribution, std::uint64_t seed,
                     const DoubleProduct& product, bool force_projection, const GemmTypes& types)
    : state_(std::make_unique<State>()) {
  if (shape.m < 1 || shape.n < 1 || shape.k < 1) {
    throw std::invalid_argument("no reference for m = " + std::to_string(shape.m) +
                                ", n = " + std::to_string(shape.n) + ", k = " + std::to_string(shape.k) +
                                ": each has to be at least 1");
  }
  state_->spec = {shape, distribution, seed, integer_limit(types, distribution, integer_limit(shape, form)),
                  form,  types};
  if (!force_projection && shape.flop() / 2 <= kFullCheckLimit) {
    state_->full.emplace(state_->spec, product);
  } else {
    state_->projected.emplace(state_->spec);
    state_->sampled.emplace(state_->spec, product);
  }
}

Reference::~Reference() = default;
Reference::Reference(Reference&&) noexcept = default;
Reference& Reference::operator=(Reference&&) noexcept = default;

const Shape& Reference::shape() const {
  return state_->spec.shape;
}
Distribution Reference::distribution() const {
  return state_->spec.distribution;
}
std::int32_t Reference::limit() const {
  return state_->spec.limit;
}

std::vector<Check> Reference::check(const float* c, std::int64_t rotate) const {
  return checked(c, rotate);
}
std::vector<Check> Reference::check(const std::int32_t* c, std::int64_t rotate) const {
  return checked(c, rotate);
}

template <typename T>
std::vector<Check> Reference::checked(const T* c, std::int64_t rotate) const {
  if (state_->full) return {state_->full->check(c, rotate)};
  Check projected = state_->projected->check(c, rotate);
  Check sampled = state_->sampled->check(c, rotate);
  if (!state_->spec.exact_sums()) return {projected, sampled};
  // One exact check, of projections and sample together.
  projected.eta_max = sampled.eta_max;
  if (sampled.verdict != Verdict::kOk) {
    projected.verdict = sampled.verdict;
    projected.worst_row = sampled.worst_row;
    projected.worst_col = sampled.worst_col;
  }
  return {projected};
}

namespace {

/// The first element, row-major, that is no longer what fill() made; rows·cols where none has changed.
std::int64_t first_change(const float* values, const ProductSpec& spec, Operand operand,
                          std::int64_t rotate) {
  constexpr std::int64_t kStrip = 1024;
  const std::int64_t rows = spec.rows(operand);
  const std::int64_t cols = spec.cols(operand);
  std::int64_t first = rows * cols;
#pragma omp parallel for schedule(static) reduction(min : first) if (rows * cols > kWorthThreads)
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t base_row = (row + rotate) % rows;
    float made[kStrip];
    for (std::int64_t col0 = 0; col0 < cols; col0 += kStrip) {
      const std::int64_t width = std::min(kStrip, cols - col0);
      const float* found = values + row * cols + col0;
      fill_range(made, base_row * cols + col0, width, spec.distribution, spec.seed, operand, spec.limit);
      if (std::memcmp(made, found, static_cast<std::size_t>(width) * sizeof(float)) == 0) continue;
      std::int64_t i = 0;
      while (std::memcmp(made + i, found + i, sizeof(float)) == 0) ++i;
      first = std::min(first, row * cols + col0 + i);
    }
  }
  return first;
}

}  // namespace

Check check_inputs_unchanged(const float* a, const float* b, const Shape& shape, Distribution distribution,
                             std::uint64_t seed, std::int64_t rotate, std::int32_t limit) {
  const ProductSpec spec{shape, distribution, seed, limit, form_of(shape), {}};
  Check check;
  check.method = "inputs-unchanged";
  check.verdict = Verdict::kOk;
  const std::int64_t in_a = first_change(a, spec, Operand::kA, rotate);
  const std::int64_t in_b = in_a < shape.a_count() ? shape.b_count() : first_change(b, spec, Operand::kB, 0);
  if (in_a < shape.a_count()) {
    check.worst_row = in_a / shape.k;
    check.worst_col = in_a % shape.k;
    check.verdict = Verdict::kIncorrect;
  } else if (in_b < shape.b_count()) {
    check.worst_row = in_b / shape.n;
    check.worst_col = shape.k + in_b % shape.n;
    check.verdict = Verdict::kIncorrect;
  }
  return check;
}

}  // namespace gemmlab
