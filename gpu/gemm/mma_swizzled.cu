// mma_sync without its bank conflicts: chunk c of row r lies at c XOR r (of A, whose rows are half as long, c XOR r/2), so that the
// eight chunks that ldmatrix reads at a time lie in eight different parts of a line.

#include "gpu/describe.h"
#include "gpu/gemm/mma_sync/mma_block.h"

namespace gemmlab::gpu {

const Implementation& mma_swizzled() {
  using Rung = tensor_core::MmaRung<tensor_core::Tile<128, 128, 32, 64, 32, true, 1>, 75>;
  static const TypedImplementation row(
      describe({.id = "gpu.mma_swizzled",
                .name = "mma, swizzled",
                .family = "matrix units",
                .summary = "mma_sync with chunks of a row of shared memory in another order in each row, "
                           "against bank conflicts",
                .source = "PTX ISA, warp-level matrix instructions",
                .counterpart = "cpu.widened",
                .variant_of = "gpu.mma_sync"}),
      Rung::plan);
  return row;
}

}  // namespace gemmlab::gpu
