#pragma once

// Sums that lose next to nothing, however many parts are added.

#include <cuda_runtime.h>

namespace gemmlab::gpu::parts {

/// sum += part, and part becomes what rounding left out of the sum, onto which the next part is then summed,
/// so that roundings do not add up (Fast2Sum; Dekker 1971). Exact where |part| <= |sum|; else off by at most
/// about 2⁻²⁴·|part|. Both finite: an overflow would leave a NaN in part. Four additions, of which three
/// would do: sum stays in its register, and 192 of them live in a loop leave no room for copies (with three,
/// up to 992 bytes were spilled).
__device__ inline void add_and_carry(float& sum, float& part) {
  const float added = __fsub_rn(__fadd_rn(sum, part), sum);
  sum = __fadd_rn(sum, added);
  part = __fsub_rn(part, added);
}

/// What rounding leaves out of a + b = sum, whichever is larger: six additions with the sum (TwoSum; Knuth).
__device__ inline float rest_of_sum(float a, float b, float sum) {
  const float b_kept = __fsub_rn(sum, a);
  const float a_kept = __fsub_rn(sum, b_kept);
  return __fadd_rn(__fsub_rn(a, a_kept), __fsub_rn(b, b_kept));
}

}  // namespace gemmlab::gpu::parts
