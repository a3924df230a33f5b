#pragma once

// A product on several cards, by an implementation that each of them runs on blocks of it.

#include "core/gemm/implementation.h"
#include "gpu/gemm/multi/stream_plan.h"

namespace gemmlab::gpu {

/// Parameters: gpus (1 to 8), operands (first, sharded, host), exchange (copies, nccl), chunks, memory_mib.
class MultiImplementation : public GemmImplementation {
 public:
  /// `description` without parameters, which are the same for all but for the usual number of chunks, memory_mib.
  /// `slower`: of its products on one card and the links from the host, where matrices are large.
  MultiImplementation(Description description, const GemmImplementation& inner, std::int64_t usual_chunks,
                      Slower slower);

  const Description& description() const override { return description_; }
  std::string unavailable() const override { return inner_.unavailable(); }
  std::string why_not(const Shape& shape, const Parameters& parameters) const override;
  /// On all cards together.
  double moved_bytes(const Shape& shape, const Parameters& parameters) const override;
  /// Sharded: before the clock starts each card has its own pieces of A and B.
  bool operands_resident(const Parameters& parameters) const override;
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override;

 private:
  Description description_;
  const GemmImplementation& inner_;
  Slower slower_;
};

}  // namespace gemmlab::gpu
