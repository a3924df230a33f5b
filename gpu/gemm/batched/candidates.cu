#include "gpu/gemm/batched/candidates.h"
#include "gpu/gemm/batched/kernel.h"

namespace gemmlab::gpu {
namespace {

template <typename Tile>
BatchedCandidate candidate(const char* name) {
  using Batched = BatchedTile<Tile>;
  BatchedCandidate made;
  made.tile = pipelined_candidate<Batched>(name, nullptr, nullptr);
  const auto set = [&](BatchLayout layout, BatchedKernel kernel) {
    made.kernel[static_cast<int>(layout)] = kernel;
  };
  set(BatchLayout::kRowsBy16, batched_kernel<Batched, Lies::kAlongK, Lies::kDownBy16>);
  set(BatchLayout::kRowsBy4, batched_kernel<Batched, Lies::kAlongK, Lies::kDownBy4>);
  set(BatchLayout::kTurnedB, batched_kernel<Batched, Lies::kAlongK, Lies::kAlongK>);
  set(BatchLayout::kTurnedA, batched_kernel<Batched, Lies::kDownBy16, Lies::kDownBy16>);
  return made;
}

}  // namespace

// Products of a batch are small: three blocks or more per SM, so that one block's first loads and last stores run beside
// another's steps. Some on an H200, in us (cuBLAS): 64 × 128×128×64 6.3 by 64x64x16 (8.4), 96 × 512×512×64 with B
// transposed 98 by 128x128 (116), 96 × 512×64×512 72 by 128x64x16 (84), 128 × 32×32×32 2.9 by 32x32x16 (4.0), 33 ×
// 65×67×129 10.9 by 64x64x16w4 (8.1; 12.2 by the best other), 12 × 384×64×384 12.5 by 32x32x32 (17.9; 14.2).
//                  BM   BN  BK  WM  WN  TM TN slices stages blocks
const std::vector<BatchedCandidate>& batched_candidates() {
  static const std::vector<BatchedCandidate> all = {
      candidate<PipelinedTile<128, 128, 16, 64, 64, 16, 8, 1, 3, 2>>("128x128"),
      candidate<PipelinedTile<128, 64, 16, 64, 32, 8, 8, 1, 3, 3>>("128x64x16"),
      candidate<PipelinedTile<64, 64, 16, 64, 32, 8, 8, 1, 3, 5>>("64x64x16"),
      candidate<PipelinedTile<64, 64, 16, 32, 32, 8, 4, 1, 3, 4>>("64x64x16w4"),
      candidate<PipelinedTile<32, 32, 16, 32, 16, 4, 4, 1, 3, 10>>("32x32x16"),
      // four and eight slices of K: for few products with a long one
      candidate<PipelinedTile<32, 32, 32, 32, 32, 8, 4, 4, 3, 5>>("32x32x32"),
      candidate<PipelinedTile<32, 32, 64, 32, 32, 8, 4, 8, 3, 2>>("32x32"),
  };
  return all;
}

}  // namespace gemmlab::gpu
