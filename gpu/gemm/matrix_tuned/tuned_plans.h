#pragma once

// How the kernels of gpu.matrix_tuned are launched. For .cu files.

#include "gpu/gemm/matrix_tuned/plans.h"
#include "gpu/gemm/wgmma/plans.h"

namespace gemmlab::gpu::tensor_core {

template <class P>
WgmmaPlan tuned(const char* name) {
  WgmmaPlan found = ring_plan<P>(name);
  found.persistent = true;
  found.early = true;
  found.group = 8 / P::kCluster;
  return found;
}

/// Small tiles for small products, whose stages are many, so that as much is under way. "pair": of a cluster of two.
template <typename In, bool kColumns, bool kPromoted = false>
std::vector<WgmmaPlan> small_plans() {
  return {tuned<RingPlan<StagedTile<In, 64, 128, 8, kColumns>, 1, false, 2, kPromoted>>("64x128, pair"),
          tuned<RingPlan<StagedTile<In, 64, 64, 12, kColumns>, 1, false, 2, kPromoted>>("64x64, pair"),
          tuned<RingPlan<StagedTile<In, 64, 64, 12, kColumns>, 1, false, 1, kPromoted>>("64x64"),
          tuned<RingPlan<StagedTile<In, 64, 32, 16, kColumns>, 1, false, 1, kPromoted>>("64x32")};
}

inline std::vector<WgmmaPlan> joined(std::vector<WgmmaPlan> plans, const std::vector<WgmmaPlan>& more) {
  plans.insert(plans.end(), more.begin(), more.end());
  return plans;
}

/// "in turn": each warpgroup has whole tiles.
template <typename In, bool kColumns>
std::vector<WgmmaPlan> full_plans() {
  return joined({tuned<RingPlan<StagedTile<In, 128, 256, 4, kColumns>, 2, false, 1>>("128x256"),
                 tuned<RingPlan<StagedTile<In, 128, 256, 4, kColumns>, 2, false, 2>>("128x256, pair"),
                 tuned<RingPlan<StagedTile<In, 128, 192, 4, kColumns>, 2, false, 1>>("128x192"),
                 tuned<RingPlan<StagedTile<In, 128, 128, 6, kColumns>, 2, true, 2>>("128x128 in turn, pair"),
                 tuned<RingPlan<StagedTile<In, 192, 192, 4, kColumns>, 3, false, 2>>("192x192, pair")},
                small_plans<In, kColumns>());
}

template <typename In>
std::vector<WgmmaPlan> plans_of_16_bits(const GemmTypes& types, bool transpose_b) {
  if (types.result != types.type && types.result != ElementType::kFloat32) return {};
  return transpose_b ? full_plans<In, false>() : full_plans<In, true>();
}

/// Sums leave the accumulators, which hold about 14 bits of products of 8, every 128 terms.
template <typename In>
std::vector<WgmmaPlan> plans_of_float8() {
  return joined({tuned<RingPlan<StagedTile<In, 128, 192, 4, false>, 2, false, 1, true>>("128x192"),
                 tuned<RingPlan<StagedTile<In, 128, 128, 6, false>, 2, false, 2, true>>("128x128, pair"),
                 tuned<RingPlan<StagedTile<In, 128, 128, 6, false>, 2, false, 1, true>>("128x128")},
                small_plans<In, false, true>());
}

}  // namespace gemmlab::gpu::tensor_core
