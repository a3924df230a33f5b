#include "gpu/gemm/pipelined/candidates.h"

#include <algorithm>

namespace gemmlab::gpu {

const std::vector<PipelinedCandidate>& pipelined_candidates() {
  static const std::vector<PipelinedCandidate> all = [] {
    std::vector<PipelinedCandidate> candidates = large_pipelined_candidates();
    for (PipelinedCandidate& small : small_pipelined_candidates()) candidates.push_back(std::move(small));
    add_clustered_kernels(candidates);
    std::sort(candidates.begin(), candidates.end(),
              [](const auto& left, const auto& right) { return left.name < right.name; });
    return candidates;
  }();
  return all;
}

}  // namespace gemmlab::gpu
