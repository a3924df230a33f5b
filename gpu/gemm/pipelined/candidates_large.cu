#include "gpu/gemm/pipelined/candidates.h"
#include "gpu/gemm/pipelined/kernel.h"

namespace gemmlab::gpu {
namespace {

template <typename Tile>
PipelinedCandidate candidate(const char* name) {
  return pipelined_candidate<Tile>(name, pipelined_kernel<Tile, false>, pipelined_kernel<Tile, true>);
}

}  // namespace

// 16×8 of C per thread: 1 read from shared memory in 21 FFMA. Eight warps per SM, with up to
// 255 registers each.
//                  BM   BN  BK  WM  WN  TM TN slices stages blocks
std::vector<PipelinedCandidate> large_pipelined_candidates() {
  return {
      candidate<PipelinedTile<128, 128, 16, 64, 64, 16, 8, 1, 3, 2>>("128x128"),
      // less shared memory: for cards of compute capability 7.5, 8.6 and 8.9
      candidate<PipelinedTile<128, 128, 8, 64, 64, 16, 8, 1, 3, 2>>("128x128x8"),
      // a step's k in two halves: half the tile, as many warps
      candidate<PipelinedTile<128, 64, 16, 64, 64, 16, 8, 2, 3, 2>>("128x64"),
      candidate<PipelinedTile<256, 128, 16, 64, 64, 16, 8, 1, 3, 1>>("256x128"),
  };
}

}  // namespace gemmlab::gpu
