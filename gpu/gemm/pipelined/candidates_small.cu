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
      // No slices, five blocks or six per SM: one block's first loads and last stores run beside the steps of others.
      // For many tiles of few steps: 1084×4748×520 took 128 us by 64x64, and takes 117 by the first of these;
      // 2500×2500×100 47 us by 128x64 and 41 by the second.
      candidate<PipelinedTile<64, 64, 16, 64, 32, 8, 8, 1, 3, 5>>("64x64x16"),
      candidate<PipelinedTile<64, 64, 8, 32, 32, 8, 4, 1, 3, 5>>("64x64x8"),
  };
}

}  // namespace gemmlab::gpu
