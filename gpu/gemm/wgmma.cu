// The first step beyond warps: four of them, a warpgroup, multiply 64×128 of C by one instruction, which reads both operands from
// shared memory, where the copy engine (TMA) puts them. All threads multiply; one of them asks for what is needed two steps on.

#include "gpu/describe.h"
#include "gpu/gemm/wgmma/plans.h"

namespace gemmlab::gpu {
namespace {

using namespace tensor_core;

constexpr int kWarpgroups = 2;
constexpr int kThreads = kWarpgroups * kWarpgroup;

template <typename In, bool kColumnsOfB>
using Tile = StagedTile<In, 128, 128, 3, kColumnsOfB>;

template <class T>
__global__ void __launch_bounds__(kThreads)
    wgmma_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                 const __grid_constant__ CUtensorMap, const __grid_constant__ Arguments work) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  const Stages<T> stages;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < T::kStages; ++stage) parts::barrier_init(stages.full(stage), 1);
    parts::barrier_init_fence();
  }
  __syncthreads();
  const TilePlace place = work.place(static_cast<int>(blockIdx.x));
  const int row = place.row * T::BM;
  const int col = place.col * T::BN;
  const auto load = [&](int step) {
    if (threadIdx.x == 0 && step < work.steps)
      load_stage<T, 1>(stages, step % T::kStages, A, B, row, col, step, work.stage_bytes);
  };
  for (int step = 0; step < T::kStages - 1; ++step) load(step);
  const int own_row = static_cast<int>(threadIdx.x) / kWarpgroup * kPieceRowsOfD;
  typename T::Sum D[1][T::BN / 2];
  for (int step = 0; step < work.steps; ++step) {
    parts::barrier_wait(stages.full(step % T::kStages), step / T::kStages % 2);
    multiply_stage<T, 1>(D, stages, step % T::kStages, own_row, step > 0);
    parts::wgmma_wait_for_reads<1>();
    __syncthreads();  // no warp reads the stage before this one any more
    load(step + T::kStages - 1);
  }
  wait_for_sums(D[0]);
  with_result<typename T::In>(
      work.C.type, [&](auto out) { store_from_registers<decltype(out)>(D[0], work.C, row + own_row, col); });
#endif
}

template <typename In, bool kColumnsOfB>
struct Of {
  static WgmmaPlan plan() {
    using T = Tile<In, kColumnsOfB>;
    WgmmaPlan found;
    found.name = "no roles";
    found.kernel = reinterpret_cast<const void*>(&wgmma_kernel<T>);
    found.BM = T::BM;
    found.BN = T::BN;
    found.stages = T::kStages;
    found.threads = kThreads;
    found.shared_bytes = Stages<T>::kBytes;
    found.blocks_at_once = 2;
    found.columns_of_b = kColumnsOfB;
    found.box_rows_of_b = kBoxRowsOfB<T, 1>;
    return found;
  }
};

}  // namespace

const Implementation& wgmma() {
  static const WgmmaImplementation row(
      describe({.id = "gpu.wgmma",
                .name = "wgmma",
                .family = "matrix units",
                .summary = "64×128 of C a warpgroup by wgmma, operands by TMA, three stages",
                .source = "PTX ISA, asynchronous warpgroup-level matrix instructions",
                .counterpart = "cpu.widened"}),
      plan_of_16_bits<Of>);
  return row;
}

}  // namespace gemmlab::gpu
