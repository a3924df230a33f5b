#pragma once

// A product of matrices on the host by several cards, prepared.

#include <memory>
#include <vector>

#include "gpu/gemm/multi/stream_card.h"
#include "gpu/gemm/multi/stream_plan.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {

/// A, B and C lie in page-locked memory of the host. To the caller it is work of its stream like any other.
class StreamSession : public GemmSession {
 public:
  /// `nccl`: what the cards get from each other comes by it; nullptr: by peer copies.
  StreamSession(const StreamPlan& plan, const GemmImplementation& inner,
                std::unique_ptr<NcclExchange> nccl = nullptr);

  void multiply(const float* a, const float* b, float* c) override;
  Facts chosen() const override;
  Facts resources() const override;

 private:
  StreamPlan plan_;
  int peers_;
  std::unique_ptr<NcclExchange> nccl_;
  CardEvent fork_;
  StreamCard::All cards_;
  bool timed_ = false;  ///< was the last product launched? Events that a graph records tell no times
};

}  // namespace gemmlab::gpu
