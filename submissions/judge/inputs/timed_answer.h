#pragma once

// Is C the product of an A and a B that are there? By projections and a sample, in a time that grows with the matrices
// and not with the work, and by numbers that nobody could foresee.

#include <cstdint>
#include <vector>

#include "core/inputs/matrix.h"
#include "core/verification/verify.h"
#include "operations/gemm/shape.h"
#include "submissions/judge/inputs/secret.h"

namespace gemmlab::submissions {

/// What C has to be, of one A and one B whose elements are independent and symmetric about zero. Bounds and verdicts are
/// those of core/verification/verify.h; the weights of the projections and the places of the sample come from the secret.
class TimedAnswer {
 public:
  TimedAnswer(const Shape& shape, const float* a, const float* b, const Secret& secret, std::uint64_t number,
              const DoubleProduct& product);
  /// "projection" and "sampled".
  std::vector<Check> check(const float* c) const;

 private:
  Check projected(const float* c) const;
  Check sampled(const float* c) const;

  Shape shape_;
  std::vector<double> right_, left_;           ///< weights of columns and of rows of C: ±1
  std::vector<double> by_row_, by_col_;        ///< C·right and left·C as they have to be
  std::vector<double> row_scale_, col_scale_;  ///< (|A|·(|B|·1)) / √n, and likewise
  std::vector<std::int64_t> rows_, cols_;      ///< of the sample
  Matrix<double> expected_, sizes_;            ///< there: A·B and |A||B|
};

}  // namespace gemmlab::submissions
