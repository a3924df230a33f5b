#pragma once

// Are outputs right? Method and bounds, for C = A·B: eta = |C - R| / (u·(|A||B|)) elementwise with u = 2⁻²⁴,
// R in double precision; other operations put their own sum of absolute terms for |A||B|. See
// verify_element.h.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gemmlab {

inline constexpr double kUnitRoundoff = 1.0 / (1 << 24);
inline constexpr double kEtaBound = 16;  ///< ok: holds for every order of summation that ignores the data
inline constexpr double kEtaReduced = 1 << 18;  ///< above this it is wrong, not merely less precise
inline constexpr double kResidualBound = 16;    ///< of the projection
inline constexpr double kFullCheckLimit = 1ull
                                          << 33;  ///< of gemm: m·n·k beyond which C is projected and sampled
inline constexpr std::int64_t kSampledElements = 4096;

enum class Verdict { kOk, kReducedPrecision, kIncorrect, kUncertified };
const char* to_string(Verdict verdict);  // "ok", "reduced-precision", "incorrect", "uncertified"

/// One check's outcome: a `verify` entry of a record.
struct Check {
  std::string method;  ///< "exact", "exact-projection", "bound", "projection", "sampled", "inputs-unchanged",
                       ///< "finite"
  double eta_max = 0;  ///< largest eta met; for exact checks the largest |C - R|
  double residual = 0;  ///< projections only
  std::int64_t worst_row = -1;
  std::int64_t worst_col = -1;
  Verdict verdict = Verdict::kIncorrect;
};

/// Double-precision product c = a·b, row-major; a library's where there is one.
using DoubleProduct = std::function<void(const double* a, const double* b, double* c, std::int64_t m,
                                         std::int64_t n, std::int64_t k)>;

/// The plain product that serves where no library is found, and checks the libraries in the tests.
void plain_double_product(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n,
                          std::int64_t k);

/// Elements from which threads pay: below, waking them takes longer than the work.
inline constexpr std::int64_t kWorthThreads = 1 << 15;

/// The verdict over all checks: incorrect if any is; reduced-precision if any is and the exact check passed
/// (incorrect otherwise); else uncertified if any is; else ok. No check at all is incorrect.
Verdict overall(const std::vector<Check>& checks);

}  // namespace gemmlab
