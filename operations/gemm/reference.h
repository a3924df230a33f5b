#pragma once

// Is C = A·B right, or alpha·A·B + beta·C? Bounds and verdicts: core/verification/verify.h.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/inputs/inputs.h"
#include "core/verification/verify.h"
#include "operations/gemm/form.h"
#include "operations/gemm/types.h"

namespace gemmlab {

/// R and |A||B| for one shape, distribution and seed, shared by every implementation: made once, used for
/// each C. Shapes with m·n·k > kFullCheckLimit (or `force_projection`) keep projections and a sample instead
/// of the whole R.
class Reference {
 public:
  Reference(const Shape& shape, Distribution distribution, std::uint64_t seed, const DoubleProduct& product,
            bool force_projection = false);
  /// Of alpha·op(A)·op(B) + beta·C, with the stride of C; op(A) and op(B) hold what A and B hold without a
  /// transpose, so that one R serves all transposes. The bound is relative to |alpha||A||B| + |beta||C|; with
  /// alpha or beta that are no whole numbers integer inputs are held to it, too.
  /// Of other types the inputs are drawn in `types.type`; C of a narrower type than float32 is held to half a
  /// unit of it besides, or on whole numbers to their sum as it is rounded to it; sums of int8 to be exact.
  Reference(const Shape& shape, const GemmForm& form, Distribution distribution, std::uint64_t seed,
            const DoubleProduct& product, bool force_projection = false, const GemmTypes& types = {});
  ~Reference();
  Reference(Reference&&) noexcept;
  Reference& operator=(Reference&&) noexcept;

  /// Checks C, its elements as floats, of input set `rotate` (row r of C belongs to row (r + rotate) mod m of the base).
  /// Integer inputs: "exact" or "exact-projection". Uniform and normal inputs: "bound", or "projection" and
  /// "sampled". All others: as uniform, but the verdict is incorrect (not finite, or eta > max(k,
  /// 16)) or uncertified.
  std::vector<Check> check(const float* c, std::int64_t rotate) const;
  std::vector<Check> check(const std::int32_t* c, std::int64_t rotate) const;  ///< C of int32

  const Shape& shape() const;
  Distribution distribution() const;
  std::int32_t limit() const;  ///< integer inputs: the largest magnitude, integer_limit(k)

 private:
  struct State;
  template <typename T>
  std::vector<Check> checked(const T* c, std::int64_t rotate) const;
  std::unique_ptr<State> state_;
};

/// Are a and b still bit for bit what fill() made? One check, "inputs-unchanged"; worst_row/col name the
/// first change (col counts on into B behind A's columns).
Check check_inputs_unchanged(const float* a, const float* b, const Shape& shape, Distribution distribution,
                             std::uint64_t seed, std::int64_t rotate, std::int32_t limit);

}  // namespace gemmlab
