// mma_cp_async with 128×256 of C a block and 64×64 a warp: a fragment of A serves eight products and one of B four, so that a
// third less is read from shared memory; and eight rows of tiles are taken column by column, so that what runs at a time
// finds its parts of A and B in the L2.

#include "gpu/describe.h"
#include "gpu/gemm/mma_sync/mma_block.h"

namespace gemmlab::gpu {

const Implementation& mma_warp_tiled() {
  using Rung = tensor_core::MmaRung<tensor_core::Tile<128, 256, 32, 64, 64, true, 3, 8>, 80>;
  static const TypedImplementation row(
      describe({.id = "gpu.mma_warp_tiled",
                .name = "mma, warp-tiled",
                .family = "matrix units",
                .summary = "mma_cp_async with 64×64 of C a warp, and tiles taken in groups for the L2",
                .source = "PTX ISA, warp-level matrix instructions",
                .counterpart = "cpu.widened",
                .variant_of = "gpu.mma_cp_async"}),
      Rung::plan);
  return row;
}

}  // namespace gemmlab::gpu
