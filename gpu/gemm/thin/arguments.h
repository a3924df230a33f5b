#pragma once

// What the kernels of a thin product have in common. For .cu and .cpp files.

#include <cuda_runtime.h>

#include <cstdint>

namespace gemmlab::gpu::thin {

constexpr int kMostVectors = 8;

/// A large matrix S, read once from memory, times up to eight vectors of length K. `length` results for each vector.
struct Arguments {
  const float* large = nullptr;  ///< S as it is stored
  std::int64_t stride = 0;       ///< floats from one of its stored rows to the next
  const float* vectors = nullptr;
  std::int64_t vector_step = 0;  ///< floats from a vector's element to its next
  std::int64_t vectors_apart = 0;
  float* C = nullptr;
  std::int64_t result_step = 0;  ///< floats of C from a result to the next of the same vector
  std::int64_t results_apart = 0;
  int length = 0;
  int K = 0;
  int readable = 0;  ///< floats of a stored row of S that may be read
  int count = 0;   ///< of vectors
  int groups = 0;  ///< blocks that share out the results
  int splits = 0;  ///< of K
  float* partials = nullptr;    ///< (groups, splits, vectors, results of a block)
  unsigned* arrived = nullptr;  ///< a counter per group, 0
  float alpha = 1;
  float beta = 0;  ///< with 0 C is not read
};

}  // namespace gemmlab::gpu::thin
