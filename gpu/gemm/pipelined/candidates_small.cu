#include "gpu/gemm/pipelined/candidates.h"
#include "gpu/gemm/pipelined/kernel.h"

namespace gemmlab::gpu {
namespace {

template <typename Tile>
PipelinedCandidate candidate(const char* name) {
  return pipelined_candidate<Tile>(name, pipelined_kernel<Tile, false>, pipelined_kernel<Tile, true>);
}

}  // namespace

// Small and skinny tiles: the warps of a block share the steps of k among them, so that few tiles still
// make many warps.
//                  BM   BN  BK  WM  WN  TM TN slices stages blocks
std::vector<PipelinedCandidate> small_pipelined_candidates() {
  return {
      candidate<PipelinedTile<128, 16, 32, 64, 16, 8, 4, 4, 3, 2>>("128x16"),
      candidate<PipelinedTile<128, 32, 32, 128, 32, 16, 8, 4, 3, 2>>("128x32"),
      candidate<PipelinedTile<16, 128, 32, 16, 64, 8, 4, 4, 3, 2>>("16x128"),
      candidate<PipelinedTile<32, 32, 64, 32, 32, 8, 4, 8, 3, 2>>("32x32"),
      candidate<PipelinedTile<64, 32, 32, 64, 32, 8, 8, 4, 3, 3>>("64x32"),
      candidate<PipelinedTile<64, 64, 32, 64, 64, 16, 8, 4, 3, 2>>("64x64"),
  };
}

}  // namespace gemmlab::gpu
