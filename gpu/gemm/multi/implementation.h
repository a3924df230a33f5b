#pragma once

// A product on several cards, by an implementation that each of them runs on blocks of it.

#include "gpu/gemm/multi/stream_plan.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {

/// Parameters: gpus (1 to 8), operands (first, sharded, host), exchange (copies, nccl), chunks, memory_mib.
class MultiImplementation : public GemmImplementation {
 public:
  /// What is known of the products on one card.
  struct Inner {
    const GemmImplementation& row;
    std::int64_t usual_chunks = 1;
    Slower slower = Slower::kProduct;  ///< where matrices are large
    /// Do its kernels lose nothing where rows of C lie further apart, and in another card's memory? Then they write C where it
    /// is to lie, if NVLink leads there; those of a row that SharesOperands, where they do.
    bool writes_far = false;
    /// FLOPs that the first card does more per byte that the others wait for, where all begins on it and comes in one chunk; 0:
    /// all do the same.
    std::int64_t ahead_flops_per_byte = 0;
  };
  /// `description` without parameters, which are the same for all but for the usual number of chunks.
  MultiImplementation(Description description, const Inner& inner);

  const Description& description() const override { return description_; }
  std::string unavailable() const override { return inner_.row.unavailable(); }
  std::string why_not(const Shape& shape, const Parameters& parameters) const override;
  /// On all cards together.
  double moved_bytes(const Shape& shape, const Parameters& parameters) const override;
  /// Sharded: before the clock starts each card has its own pieces of A and B.
  bool operands_resident(const Parameters& parameters) const override;
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override;

 private:
  Description description_;
  Inner inner_;
};

}  // namespace gemmlab::gpu
