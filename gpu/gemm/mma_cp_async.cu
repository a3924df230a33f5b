// mma_swizzled without waiting for memory: three parts of A and B are on their way to shared memory, past the registers, while the
// fourth is multiplied (cp.async, sm_80).

#include "gpu/describe.h"
#include "gpu/gemm/mma_sync/mma_block.h"

namespace gemmlab::gpu {

const Implementation& mma_cp_async() {
  using Rung = tensor_core::MmaRung<tensor_core::Tile<128, 128, 32, 64, 32, true, 4>, 80>;
  static const TypedImplementation row(
      describe(
          {.id = "gpu.mma_cp_async",
           .name = "mma, cp.async",
           .family = "matrix units",
           .summary = "mma_swizzled with four parts under way: copies to shared memory past the registers",
           .source = "PTX ISA, cp.async",
           .counterpart = "cpu.widened",
           .variant_of = "gpu.mma_swizzled"}),
      Rung::plan);
  return row;
}

}  // namespace gemmlab::gpu
