#include "gpu/gemm/pipelined/candidates.h"
#include "gpu/gemm/pipelined/clustered.h"

namespace gemmlab::gpu {
namespace {

/// Of the tile that has this name among the others.
template <typename Tile>
void add(std::vector<PipelinedCandidate>& candidates, const char* name) {
  for (PipelinedCandidate& candidate : candidates) {
    if (candidate.name != name) continue;
    candidate.clustered = clustered_kernel<Tile, false>;
    candidate.aligned_clustered = clustered_kernel<Tile, true>;
    candidate.clustered_bytes = kClusteredBytes<Tile>;
  }
}

}  // namespace

// Small tiles only: of large ones there are many, and blocks that share out the last of them evenly gain more.
//                  BM   BN  BK  WM  WN  TM TN slices stages blocks
void add_clustered_kernels(std::vector<PipelinedCandidate>& candidates) {
  add<PipelinedTile<16, 128, 32, 16, 64, 8, 4, 4, 3, 2>>(candidates, "16x128");
  add<PipelinedTile<32, 32, 64, 32, 32, 8, 4, 8, 3, 2>>(candidates, "32x32");
  add<PipelinedTile<64, 32, 32, 64, 32, 8, 8, 4, 3, 3>>(candidates, "64x32");
  add<PipelinedTile<64, 64, 32, 64, 64, 16, 8, 4, 3, 2>>(candidates, "64x64");
}

}  // namespace gemmlab::gpu
