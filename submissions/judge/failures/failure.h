#pragma once

// How a submission can fail, and what a call's end means.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "operations/gemm/shape.h"
#include "submissions/judge/processes/callee_process.h"
#include "verdict_words.h"

namespace gemmlab::submissions {

const char* to_string(Judged judged);  // "correct", "reduced-precision", "incorrect", ...

/// One thing that went wrong, in the words of the author of the code.
struct Failure {
  Judged verdict = Judged::kIncorrect;
  std::optional<Shape> shape;
  bool element = false;  ///< do row, col, expected and got say something?
  std::int64_t row = 0;
  std::int64_t col = 0;
  double expected = 0;
  double got = 0;
  std::int64_t wrong = 0;   ///< elements of C; 0 where they were not counted
  std::string pattern;      ///< one of patterns()
  std::string over_shapes;  ///< the pattern that tells right shapes from wrong ones; empty: none
  std::string explanation;
  std::string hint;
};

/// The gravest verdict first; but what explains an access outside, or an error's number, comes before that.
void most_telling_first(std::vector<Failure>& failures);
/// Of all of them; kCorrect where there is none.
Judged worst_of(const std::vector<Failure>& failures);

/// When it happened.
enum class Phase { kLoading, kChecking, kTiming };

/// What the end of a request means for the submission; empty if solve returned normally and no band was
/// touched. `printed`: the beginning of what the process printed.
std::optional<Failure> failure_of(const CallEnd& end, Phase phase, const Shape& shape, double limit_s,
                                  const std::string& printed);

/// What code means that neither the compiler linked nor the judge brought; empty where there is none.
std::optional<Failure> failure_of(const std::vector<MappedCode>& foreign);

/// Kernels of a submission that stands still went on.
Failure left_work_on_card(const Shape& shape);

/// C, or a band of it, changed after solve had returned.
Failure unfinished(const Shape& shape);

}  // namespace gemmlab::submissions
