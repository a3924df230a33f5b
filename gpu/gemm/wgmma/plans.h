#pragma once

// The compiled kernels of ring.h as plans, by types. For .cu files.

#include "gpu/gemm/wgmma/ring.h"
#include "gpu/gemm/wgmma/row.h"

namespace gemmlab::gpu::tensor_core {

/// What launching a RingPlan takes. `name`: what it differs in.
template <class P>
WgmmaPlan ring_plan(const char* name) {
  WgmmaPlan found;
  found.name = name;
  found.kernel = reinterpret_cast<const void*>(&ring_kernel<P>);
  found.BM = P::Tile::BM;
  found.BN = P::Tile::BN;
  found.stages = P::Tile::kStages;
  found.threads = P::kThreads;
  found.shared_bytes = P::Shared::kBytes;
  found.cluster = P::kCluster;
  found.blocks_at_once = P::kBlocksAtOnce;
  found.columns_of_b = P::Tile::kColumnsOfB;
  found.box_rows_of_b = kBoxRowsOfB<typename P::Tile, P::kCluster>;
  found.row_bytes_of_b = P::Tile::kRowBytesOfB;
  found.through_shared = P::kThroughShared;
  return found;
}

/// Of<In, kColumnsOfB>::plan() for types of 16 bits, to the same or to float32; none for others.
template <template <typename, bool> class Of>
WgmmaPlan wgmma_of_16_bits(const GemmTypes& types, bool transpose_b) {
  if (types.result != types.type && types.result != ElementType::kFloat32) return {};
  if (types.type == ElementType::kBfloat16)
    return transpose_b ? Of<Bfloat16, false>::plan() : Of<Bfloat16, true>::plan();
  if (types.type == ElementType::kFloat16)
    return transpose_b ? Of<Float16, false>::plan() : Of<Float16, true>::plan();
  return {};
}

/// The planner of a row that has one kernel for each of them.
template <template <typename, bool> class Of>
WgmmaChoice plan_of_16_bits(const WgmmaAsked& asked, const Parameters&) {
  return {wgmma_of_16_bits<Of>(asked.types, asked.transpose_b), 1};
}

}  // namespace gemmlab::gpu::tensor_core
