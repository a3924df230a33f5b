#pragma once

// How the kernels of gpu.matrix_tuned are launched. For .cu files.

#include "gpu/gemm/matrix_tuned/plans.h"
#include "gpu/gemm/wgmma/plans.h"

namespace gemmlab::gpu::tensor_core {

template <class P>
WgmmaPlan tuned(const char* name) {
  WgmmaPlan found = ring_plan<P>(name);
  found.persistent = true;
  found.through_shared = true;
  found.early = true;
  found.group = 8 / P::kCluster;
  return found;
}

/// Tiles by name: rows and columns of C; "in turn": each warpgroup has whole ones; "pair": of a cluster of two.
template <typename In, bool kColumns>
std::vector<WgmmaPlan> plans_of_16_bits() {
  return {tuned<RingPlan<StagedTile<In, 128, 256, 4, kColumns>, 2, false, 1>>("128x256"),
          tuned<RingPlan<StagedTile<In, 128, 128, 6, kColumns>, 2, true, 2>>("128x128 in turn, pair"),
          tuned<RingPlan<StagedTile<In, 128, 128, 6, kColumns>, 2, true, 1>>("128x128 in turn"),
          tuned<RingPlan<StagedTile<In, 64, 128, 4, kColumns>, 1, false, 2>>("64x128, pair"),
          tuned<RingPlan<StagedTile<In, 64, 128, 4, kColumns>, 1, false, 1>>("64x128")};
}

template <typename In>
std::vector<WgmmaPlan> plans_of_16_bits(const GemmTypes& types, bool transpose_b) {
  if (types.result != types.type && types.result != ElementType::kFloat32) return {};
  return transpose_b ? plans_of_16_bits<In, false>() : plans_of_16_bits<In, true>();
}

/// Sums leave the accumulators, which hold about 14 bits of products of 8, every 128 terms.
template <typename In>
std::vector<WgmmaPlan> plans_of_float8() {
  return {tuned<RingPlan<StagedTile<In, 128, 192, 4, false>, 2, false, 1, true>>("128x192"),
          tuned<RingPlan<StagedTile<In, 128, 192, 4, false>, 2, false, 2, true>>("128x192, pair"),
          tuned<RingPlan<StagedTile<In, 128, 128, 6, false>, 2, false, 1, true>>("128x128"),
          tuned<RingPlan<StagedTile<In, 64, 128, 4, false>, 1, false, 2, true>>("64x128, pair"),
          tuned<RingPlan<StagedTile<In, 64, 128, 4, false>, 1, false, 1, true>>("64x128")};
}

}  // namespace gemmlab::gpu::tensor_core
