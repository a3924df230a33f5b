#include "gpu/gemm/pipelined/candidates.h"
#include "gpu/gemm/pipelined/clustered.h"

namespace gemmlab::gpu {
namespace {

template <typename Tile>
ClusteredCandidate candidate(const char* name) {
  return {name, kClusteredBytes<Tile>, clustered_kernel<Tile, false>, clustered_kernel<Tile, true>};
}

}  // namespace

//                  BM   BN  BK  WM  WN  TM TN slices stages blocks
std::vector<ClusteredCandidate> clustered_candidates() {
  return {
      candidate<PipelinedTile<128, 32, 32, 128, 32, 16, 8, 4, 3, 2>>("128x32"),
      candidate<PipelinedTile<16, 128, 32, 16, 64, 8, 4, 4, 3, 2>>("16x128"),
      candidate<PipelinedTile<32, 32, 64, 32, 32, 8, 4, 8, 3, 2>>("32x32"),
      candidate<PipelinedTile<64, 32, 32, 64, 32, 8, 8, 4, 3, 3>>("64x32"),
      candidate<PipelinedTile<64, 64, 32, 64, 64, 16, 8, 4, 3, 2>>("64x64"),
  };
}

}  // namespace gemmlab::gpu
