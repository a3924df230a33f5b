// wgmma with a role for each warpgroup: one thread of the first does nothing but ask TMA for operands, as soon as a stage of the
// ring is free; two others multiply, and never wait for each other. The first gives its registers to them, so that each holds
// 64×256 of C: a part of A serves twice as many products.

#include "gpu/describe.h"
#include "gpu/gemm/wgmma/plans.h"

namespace gemmlab::gpu {
namespace {

using namespace tensor_core;

template <typename In, bool kColumnsOfB>
struct Of {
  static WgmmaPlan plan() {
    return ring_plan<RingPlan<StagedTile<In, 128, 256, 4, kColumnsOfB>, 2, false, 1, false, false>>(
        "specialised");
  }
};

}  // namespace

const Implementation& wgmma_specialised() {
  static const WgmmaImplementation row(
      describe({.id = "gpu.wgmma_specialised",
                .name = "wgmma, specialised",
                .family = "matrix units",
                .summary = "a warpgroup that fetches and two that multiply 64×256 of C each, four stages",
                .source = "NVIDIA CUTLASS, warp specialisation; PTX ISA, setmaxnreg",
                .counterpart = "cpu.widened",
                .variant_of = "gpu.wgmma"}),
      plan_of_16_bits<Of>);
  return row;
}

}  // namespace gemmlab::gpu
