#pragma once

// Which products of parts make up A·B. Part 0 holds the leading bits. The products are listed from the
// smallest to the largest: the tensor core rounds its sum towards zero at every step, by an amount that goes
// with the sum's size.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "gpu/tensor/findings.h"

namespace gemmlab::gpu::parts {

/// hi·hi, hi·lo and lo·hi; lo·lo is under 2⁻²² of the product.
struct HalfPairs {
  using Part = __half;
  static constexpr Way kWay = Way::kHalf;
  static constexpr int kParts = 2;
  static constexpr int kProducts = 3;
  __host__ __device__ static constexpr int part_of_a(int product) { return product == 0 ? 1 : 0; }
  __host__ __device__ static constexpr int part_of_b(int product) { return product == 1 ? 1 : 0; }
};

/// All products down to 2⁻¹⁶; mid·lo, lo·mid and lo·lo are under 2⁻²⁴ of the product together.
struct BfloatTriples {
  using Part = __nv_bfloat16;
  static constexpr Way kWay = Way::kBfloat;
  static constexpr int kParts = 3;
  static constexpr int kProducts = 6;
  __host__ __device__ static constexpr int part_of_a(int product) {
    return product < 3 ? 2 - product : (product == 3 ? 1 : 0);
  }
  __host__ __device__ static constexpr int part_of_b(int product) {
    return product < 3 ? product : (product == 4 ? 1 : 0);
  }
};

}  // namespace gemmlab::gpu::parts
