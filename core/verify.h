#pragma once

// Is C right? Method and bounds: eta = |C - R| / (u·(|A||B|)) elementwise with u = 2⁻²⁴, R in double
// precision.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/gemm/shape.h"
#include "core/inputs.h"
#include "core/matrix.h"

namespace gemmlab {

inline constexpr double kUnitRoundoff = 1.0 / (1 << 24);
inline constexpr double kEtaBound = 16;  ///< ok: holds for every order of summation that ignores the data
inline constexpr double kEtaReduced = 1 << 18;         ///< above this it is wrong, not merely less precise
inline constexpr double kResidualBound = 16;           ///< of the projection
inline constexpr double kFullCheckLimit = 1ull << 33;  ///< m·n·k beyond which C is projected and sampled
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

/// R and |A||B| for one shape, distribution and seed, shared by every implementation: made once, used for
/// each C. Shapes with m·n·k > kFullCheckLimit (or `force_projection`) keep projections and a sample instead
/// of the whole R.
class Reference {
 public:
  Reference(const Shape& shape, Distribution distribution, std::uint64_t seed, const DoubleProduct& product,
            bool force_projection = false);
  ~Reference();
  Reference(Reference&&) noexcept;
  Reference& operator=(Reference&&) noexcept;

  /// Checks C of input set `rotate` (row r of C belongs to row (r + rotate) mod m of the base).
  /// Integer inputs: "exact" or "exact-projection". Uniform and normal inputs: "bound", or "projection" and
  /// "sampled". All others: as uniform, but the verdict is incorrect (not finite, or eta > max(k,
  /// 16)) or uncertified.
  std::vector<Check> check(const float* c, std::int64_t rotate) const;

  const Shape& shape() const;
  Distribution distribution() const;
  std::int32_t limit() const;  ///< integer inputs: the largest magnitude, integer_limit(k)

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Are a and b still bit for bit what fill() made? One check, "inputs-unchanged"; worst_row/col name the
/// first change (col counts on into B behind A's columns).
Check check_inputs_unchanged(const float* a, const float* b, const Shape& shape, Distribution distribution,
                             std::uint64_t seed, std::int64_t rotate, std::int32_t limit);

/// The verdict over all checks: incorrect if any is; reduced-precision if any is and the exact check passed
/// (incorrect otherwise); else uncertified if any is; else ok. No check at all is incorrect.
Verdict overall(const std::vector<Check>& checks);

}  // namespace gemmlab
