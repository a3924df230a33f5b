#pragma once

// Diagnoses a wrong C in the words of the author of the code. Texts use the submitted signature, solve(A, B,
// C, M, N, K): A is M×N, B is N×K, C is M×K, and N is the inner dimension. Shapes in the code are the suite's
// (m = M, k = N, n = K).

#include <cstdint>
#include <string>
#include <vector>

#include "operations/gemm/types.h"

namespace gemmlab::submissions {

/// What C holds before a call: a quiet NaN of our own, so that an element never written, or one that was
/// added to, is told from other NaNs (the payload lives on through arithmetic on a CPU, not on a GPU). Either half of it is one of
/// float16 and of bfloat16, too.
inline constexpr std::uint32_t kPoisonC = 0x7fcb7fcb;
/// What lies round the matrices where no page without access does: likewise.
inline constexpr std::uint32_t kPoisonBand = 0x7fda7fda;

/// One shape that went wrong, with integer inputs, so that what is right is exact. Row-major, all of it.
struct Evidence {
  Shape shape;
  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> c;             ///< as solve left it; was all kPoisonC before
  std::vector<float> c_again;       ///< of another call with the same inputs; empty: not made
  std::vector<float> c_over_zeros;  ///< of a call whose C was all 0 before; empty: not made
  std::vector<float>
      previous_right;  ///< the right answer to the call before, which had the same shape; empty
};

/// How a shape ended, as far as known.
struct ShapeOutcome {
  Shape shape;
  bool right = false;
};

/// Rows and columns count from 0.
struct Diagnosis {
  std::string pattern;      ///< one of patterns()
  std::string over_shapes;  ///< what tells right shapes from wrong ones: "only-squares"; empty: nothing
  std::string summary;   ///< one sentence: what is seen ("Right for every square, wrong for the 9 others.")
  std::string hint;      ///< what to look at, in one to three sentences
  std::int64_t row = 0;  ///< the first wrong element
  std::int64_t col = 0;
  double expected = 0;
  double got = 0;
  std::int64_t wrong = 0;  ///< elements, of m·n
};

/// Names of patterns with their meaning, for documentation and tests; stable, since teachers' rules and pages
/// use them.
struct Pattern {
  const char* name;
  const char* meaning;
};
const std::vector<Pattern>& patterns();

/// Looks for the most telling pattern. `outcomes` are all shapes that were checked (the one of the evidence
/// among them). `evidence.c`, or `c_again`, must differ from the right answer somewhere; throws
/// std::invalid_argument where neither does or where a matrix is not as large as the shape says. Takes about
/// as long as the product in double on one core. A shape with M, N, K all different, M < N and K < N, and
/// with 32 elements or more, says most: fewer explanations agree there, and fewer wrong ones read outside.
Diagnosis diagnose(const Evidence& evidence, const std::vector<ShapeOutcome>& outcomes);

/// Integers came out exact and others did not: says what that points to. `eta_max` is the design's: the worst
/// error in units of float's rounding of |A|·|B|, beyond what C's own type rounds away, found at (row, col).
Diagnosis reduced_precision(const Shape& shape, std::int64_t row, std::int64_t col, double expected,
                            double got, double eta_max, const GemmTypes& types = {});

}  // namespace gemmlab::submissions
