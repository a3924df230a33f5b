#pragma once

// What solve takes, as the rule has it: the types of the matrices, the order of the dimensions, and whether there are factors.

#include <string>

#include "operations/gemm/types.h"

namespace gemmlab::submissions {

struct SolveForm {
  GemmTypes types;
  bool inner_k = false;     ///< A is M×K and B K×N, as in BLAS; else A is M×N and B N×K
  bool alpha_beta = false;  ///< C = alpha·A·B + beta·C with two floats behind K; else C = A·B

  /// What students are asked for unless the rule says otherwise? Only such hand-ins are timed: the ladder is of their kind.
  bool usual() const { return types.plain() && !inner_k && !alpha_beta; }
};

/// What a matrix' elements are called in the source: "half", "std::int8_t". bfloat16 on a CPU: its bits.
std::string element_name(ElementType type, bool cuda);

/// `extern "C" void solve(const half* A, const half* B, half* C, int M, int N, int K)`
std::string signature(const SolveForm& form, bool cuda);

/// The headers that declare the names in it. Where a compiler knows no _Float16 (g++ before 12), it says kNoFloat16.
inline constexpr char kNoFloat16[] = "this compiler has no _Float16";
std::string headers_of_signature(const SolveForm& form, bool cuda);

/// A text for the author of the code. Texts are written for the usual order, in which N is the inner dimension; in the other, N and K
/// change places, "M = 3, N = 5, K = 7" and all, and of {N:...} and {K:...} the one stays whose letter the inner dimension has.
std::string in_order(const std::string& text, bool inner_k);

}  // namespace gemmlab::submissions
