#pragma once

// Kernels that multiply in the types of their operands, as rows of the table: 16 bits or int8, on the tensor cores.

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {

/// How a kernel is launched for a pair of types: one block of `threads` a BM×BN tile of C, tiles counted row by row. Its parameters:
/// A (M, K), B (K, N), C (M, N), row-major, and M, N, K.
struct TypedPlan {
  const void* kernel = nullptr;  ///< nullptr: it does not multiply these types
  /// Where all rows of A, B and C start at multiples of 16 bytes; nullptr where `kernel` serves all.
  const void* aligned_kernel = nullptr;
  unsigned threads = 0;
  int BM = 0;
  int BN = 0;
  int shared_bytes = 0;        ///< dynamic
  int compute_capability = 0;  ///< the least, as 80
};

/// "bfloat16, bfloat16 to float32, float16": the types of products that something takes.
std::string types_taken(const std::function<bool(const GemmTypes&)>& takes);

class TypedImplementation : public Implementation {
 public:
  using Planner = TypedPlan (*)(const GemmTypes& types);
  TypedImplementation(Description description, Planner planner)
      : description_(std::move(description)), planner_(planner) {}

  const Description& description() const override { return description_; }
  std::string unavailable() const override;
  std::string why_not(const Instance& instance, const Parameters& parameters) const override;
  bool meant_for(const Instance& instance) const override {
    return planner_(types_of(instance)).kernel != nullptr;
  }
  /// A once for each column of tiles, B once for each row of tiles, C once.
  double moved_bytes(const Instance& instance, const Parameters& parameters) const override;
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters& parameters) const override;

 private:
  Description description_;
  Planner planner_;
};

}  // namespace gemmlab::gpu
