#pragma once

// Which products of parts make up A·B. Part 0 holds the leading bits. The products are listed from the
// smallest to the largest: the tensor core rounds its sum towards zero at every step, by an amount that goes
// with the sum's size.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "gpu/gemm/tensor/operand_scan.h"

namespace gemmlab::gpu::parts {

/// hi·hi, hi·lo and lo·hi; lo·lo is under 2⁻²² of the product. lo is kept 2¹² times as large (operand_scan.h), so that
/// the two products with it are summed apart, over all of K: what that rounds off is 2⁻¹² as large, too.
struct HalfPairs {
  using Part = __half;
  static constexpr Arithmetic kArithmetic = Arithmetic::kHalf;
  static constexpr int kParts = 2;
  static constexpr int kProducts = 3;
  __host__ __device__ static constexpr int part_of_a(int product) { return product == 0 ? 1 : 0; }
  __host__ __device__ static constexpr int part_of_b(int product) { return product == 1 ? 1 : 0; }
};

/// All products but lo·lo, which is under 2⁻³² of the product. hi·hi is summed apart from the small ones: its 16 bits are
/// exact where few products are not zero.
struct BfloatTriples {
  using Part = __nv_bfloat16;
  static constexpr Arithmetic kArithmetic = Arithmetic::kBfloat;
  static constexpr int kParts = 3;
  static constexpr int kProducts = 8;
  // mid·lo, lo·mid; lo·hi, mid·mid, hi·lo; mid·hi, hi·mid; hi·hi
  __host__ __device__ static constexpr int part_of_a(int product) {
    constexpr int kPart[] = {1, 2, 2, 1, 0, 1, 0, 0};
    return kPart[product];
  }
  __host__ __device__ static constexpr int part_of_b(int product) {
    constexpr int kPart[] = {2, 1, 0, 1, 2, 0, 1, 0};
    return kPart[product];
  }
};

}  // namespace gemmlab::gpu::parts
