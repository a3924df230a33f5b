// The tensor cores by their own instruction: which lane holds which element is known, so that a sum goes from its register straight to
// C, and ldmatrix hands out fragments from shared memory. A block of eight warps computes 128×128 of C, each 64×32: a loaded value
// serves 32 or 64 products, where it served 32 of a warp of wmma. Chunks lie in shared memory in the order of the matrices, and
// ldmatrix meets four to eight of them in one bank.

#include "gpu/describe.h"
#include "gpu/gemm/mma_sync/mma_block.h"

namespace gemmlab::gpu {

const Implementation& mma_sync() {
  using Rung = tensor_core::MmaRung<tensor_core::Tile<128, 128, 32, 64, 32, false, 1>, 75>;
  static const TypedImplementation row(
      describe(
          {.id = "gpu.mma_sync",
           .name = "mma.sync",
           .family = "matrix units",
           .summary =
               "fragments by ldmatrix and products by mma.sync, whose layout is known, 128×128 of C a block",
           .source = "PTX ISA, warp-level matrix instructions",
           .counterpart = "cpu.widened"}),
      Rung::plan);
  return row;
}

}  // namespace gemmlab::gpu
