#pragma once

// What the kernel for batches of products takes. For .cu and .cpp files.

#include <cstdint>

namespace gemmlab::gpu {

/// C = alpha·op(A)·op(B) + beta·C for each product of a batch, row-major float32; the next product's matrices begin
/// a stride further on. Strides of A and B may be 0.
struct BatchedArguments {
  const float* A;
  const float* B;
  float* C;
  std::int64_t stride_a;
  std::int64_t stride_b;
  std::int64_t stride_c;
  int M;
  int N;
  int K;
  int lda;
  int ldb;
  int ldc;
  float alpha;
  float beta;       ///< with 0 C is not read
  bool c_aligned;   ///< every row of every C starts at a multiple of 16 bytes, and N is a multiple of 4
  unsigned across;  ///< tiles of a product, side by side
  unsigned tiles;   ///< of a product
};

}  // namespace gemmlab::gpu
