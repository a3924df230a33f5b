#include "core/verification/verify.h"

#include <algorithm>
#include <stdexcept>

namespace gemmlab {

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "ok";
    case Verdict::kReducedPrecision:
      return "reduced-precision";
    case Verdict::kIncorrect:
      return "incorrect";
    case Verdict::kUncertified:
      return "uncertified";
  }
  throw std::invalid_argument("not a verdict: " + std::to_string(static_cast<int>(verdict)));
}

void plain_double_product(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n,
                          std::int64_t k) {
  constexpr std::int64_t kCols = 512;  // a block of B is 512 KiB: it stays in the second-level cache
  constexpr std::int64_t kInner = 128;
  std::fill(c, c + m * n, 0.0);
  for (std::int64_t k0 = 0; k0 < k; k0 += kInner) {
    const std::int64_t k1 = std::min(k, k0 + kInner);
    for (std::int64_t col0 = 0; col0 < n; col0 += kCols) {
      const std::int64_t col1 = std::min(n, col0 + kCols);
#pragma omp parallel for schedule(static) if (m * (col1 - col0) * (k1 - k0) > kWorthThreads)
      for (std::int64_t row = 0; row < m; ++row) {
        for (std::int64_t p = k0; p < k1; ++p) {
          const double factor = a[row * k + p];
          for (std::int64_t col = col0; col < col1; ++col) c[row * n + col] += factor * b[p * n + col];
        }
      }
    }
  }
}

Verdict overall(const std::vector<Check>& checks) {
  const auto any = [&](Verdict verdict) {
    return std::any_of(checks.begin(), checks.end(),
                       [&](const Check& check) { return check.verdict == verdict; });
  };
  // "exact" or "exact-projection"
  const bool exact_passed = std::any_of(checks.begin(), checks.end(), [](const Check& check) {
    return check.method.rfind("exact", 0) == 0 && check.verdict == Verdict::kOk;
  });
  if (checks.empty() || any(Verdict::kIncorrect)) return Verdict::kIncorrect;
  if (any(Verdict::kReducedPrecision)) return exact_passed ? Verdict::kReducedPrecision : Verdict::kIncorrect;
  return any(Verdict::kUncertified) ? Verdict::kUncertified : Verdict::kOk;
}

}  // namespace gemmlab
