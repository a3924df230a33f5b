// wgmma_specialised with as many blocks as run at once, which take one tile after the other: the next tile's operands are fetched
// while the last one's sums are still on their way to C, by TMA through shared memory. Tiles are taken in groups of rows, for
// the L2, and blocks come up while the kernel before ends.

#include "gpu/describe.h"
#include "gpu/gemm/wgmma/plans.h"

namespace gemmlab::gpu {
namespace {

using namespace tensor_core;

template <typename In, bool kColumnsOfB>
struct Of {
  static WgmmaPlan plan() {
    WgmmaPlan found =
        ring_plan<RingPlan<StagedTile<In, 128, 256, 4, kColumnsOfB>, 2, false, 1>>("persistent");
    found.persistent = true;
    found.early = true;
    found.group = 8;
    return found;
  }
};

}  // namespace

const Implementation& wgmma_persistent() {
  static const WgmmaImplementation row(
      describe({.id = "gpu.wgmma_persistent",
                .name = "wgmma, persistent",
                .family = "matrix units",
                .summary = "wgmma_specialised with a block for each SM, tiles grouped for the L2, C by TMA",
                .source = "NVIDIA CUTLASS, persistent kernels; P. Shah, Outperforming cuBLAS on H100, 2024",
                .counterpart = "cpu.widened",
                .variant_of = "gpu.wgmma_specialised"}),
      plan_of_16_bits<Of>);
  return row;
}

}  // namespace gemmlab::gpu
